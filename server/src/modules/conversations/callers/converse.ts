import type { Parts } from "../context.ts";
import { type BeginTurn, type StoredEvent, toConversationOwner } from "../conversations.ts";
import { chooseUser, type UserParts } from "./choose-user.ts";

/** Gives the turn's events to a reader; the turn goes on without one. */
export type Converse = (message: BeginTurn) => Promise<(signal: AbortSignal) => AsyncIterable<StoredEvent>>;

/** Begins a turn for whoever the caller may speak for, and returns what gives its events to a reader. */
export async function converse(
  parts: UserParts & Pick<Parts, "conversations">,
  message: BeginTurn,
): ReturnType<Converse> {
  const { principal } = message;
  const userId = await chooseUser(parts, principal, message.userId);
  const { conversationId, turnId, after } = await parts.conversations.begin({ ...message, userId });
  const owner = toConversationOwner(principal, userId);
  return (signal) => parts.conversations.follow(owner, conversationId, { after, turnId, signal });
}
