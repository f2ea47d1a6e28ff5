import { Failure } from "../../../domain/errors.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import type { ChatEvent } from "../../../ports/chat.ts";
import type { ChannelPerson, OpenChannel } from "../channels.ts";
import { readCode, redeemChannelCode } from "../link-codes.ts";
import { TEXTS } from "../texts.ts";
import { type HandlingParts, notice, whisper } from "./handling.ts";

type MessageEvent = Extract<ChatEvent, { type: "message" }>;

export const NEW_CONVERSATION = /^\s*\/?(?:new|new conversation|start over)\s*$/i;

/** A message of a known person is a turn of their conversation. Its reply follows when the turn ends. */
export async function handleMessage(parts: HandlingParts, channel: OpenChannel, event: MessageEvent): Promise<string> {
  if (!event.isDirect) {
    await whisper(parts, channel, event, TEXTS.writeDirectly);
    return "not direct";
  }
  const { stores } = parts;
  const person = await stores.channelPeople.see(channel, { externalId: event.from, address: event.address });
  const code = readCode(event.text);
  if (code !== undefined && (await tryCode(parts, channel, { person, event, code }))) return "code";
  if (person.userId === undefined) {
    await notice(parts, channel, event, TEXTS.stranger);
    return "a stranger";
  }
  if (event.text.trim() === "") {
    await notice(parts, channel, event, TEXTS.textOnly);
    return "no text";
  }
  if (NEW_CONVERSATION.test(event.text)) {
    await stores.channelPeople.converse(person.id, undefined);
    await notice(parts, channel, event, TEXTS.newConversation);
    return "a new conversation";
  }
  return await sayInName(parts, channel, person, event);
}

/** False: a known person wrote a word that only looks like a code. */
export async function tryCode(
  parts: HandlingParts,
  channel: OpenChannel,
  { person, event, code }: { person: ChannelPerson; event: Pick<MessageEvent, "id" | "address">; code: string },
): Promise<boolean> {
  const redeemed = await redeemChannelCode(parts, channel, person, code);
  if (redeemed === "wrong" && person.userId !== undefined) return false;
  const texts = { linked: TEXTS.linked, wrong: TEXTS.wrongCode, too_many: TEXTS.tooManyCodes } as const;
  await notice(parts, channel, event, texts[redeemed]);
  return true;
}

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
): Promise<string> {
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
    return `turn ${begun.turnId}`;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "rate_limited") throw error;
    // An attempt before this one began the conversation, and its process ended before the event did.
    if (error.code === "idempotency_mismatch") return "it was said before";
    await notice(parts, channel, event, error.code === "invalid_input" ? TEXTS.tooLong : (error.detail ?? error.code));
    return error.code;
  }
}
