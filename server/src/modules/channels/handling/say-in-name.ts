import { Failure } from "../../../domain/errors.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import type { ChatEvent } from "../../../ports/chat.ts";
import type { ChannelPerson, OpenChannel } from "../channels.ts";
import { TEXTS } from "../texts.ts";
import { type Handled, type HandlingParts, notice } from "./handling.ts";

type MessageEvent = Extract<ChatEvent, { type: "message" }>;

/** Begins a turn in the name of a person who has proved who they are. */
export async function sayInName(
  parts: HandlingParts,
  channel: OpenChannel,
  person: ChannelPerson,
  event: Pick<MessageEvent, "id" | "address" | "text"> & {
    /** Left out: the channel itself. */
    saidIn?: "web";
    /** Told before anything else of the turn can be. */
    began?(turn: { conversationId: string; turnId: string }): Promise<void>;
  },
): Promise<Handled> {
  const { identity, stores, conversations } = parts;
  const { userId, keyId } = person;
  const confirmPrincipal = async () => await identity.findPrincipal(keyId ?? "", { fresh: true });
  const principal = await confirmPrincipal();
  if (userId === undefined || principal === undefined || principal.tenantId !== channel.tenantId) {
    await notice(parts, channel, event, TEXTS.linkEnded);
    return "the link has ended";
  }
  const begin = (conversationId: string | undefined) =>
    conversations.begin({
      principal,
      confirmPrincipal,
      userId: principal.personId === userId ? undefined : userId,
      conversationId,
      channel: event.saidIn ?? channel.kind,
      locale: undefined,
      text: event.text,
      idempotencyKey: `channel:${channel.id}:${event.id}`,
      traceId: currentTraceId() ?? parts.random(16).toHex(),
    });
  try {
    const begun = await begin(person.conversationId).catch((error: unknown) => {
      // Its time is over, or it was deleted.
      if (error instanceof Failure && error.code === "conversation_not_found") return begin(undefined);
      throw error;
    });
    await event.began?.(begun);
    if (begun.conversationId !== person.conversationId)
      await stores.channelPeople.converse(person.id, begun.conversationId);
    return { outcome: `turn ${begun.turnId}`, conversationId: begun.conversationId };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "rate_limited") throw error;
    // An attempt before this one began the conversation, and its process ended before the event did.
    if (error.code === "idempotency_mismatch") return "it was said before";
    await notice(parts, channel, event, error.code === "invalid_input" ? TEXTS.tooLong : (error.detail ?? error.code));
    return error.code;
  }
}
