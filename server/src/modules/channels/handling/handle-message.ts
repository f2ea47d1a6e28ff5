import type { ChatEvent } from "../../../ports/chat.ts";
import type { ChannelPerson, OpenChannel } from "../channels.ts";
import { findSystem } from "../installation.ts";
import { readCode, redeemChannelCode } from "../link-codes.ts";
import { TEXTS } from "../texts.ts";
import { askAboutDocument } from "./handle-document.ts";
import { type Handled, type HandlingParts, notice, readTime, whisper } from "./handling.ts";
import { sayInName } from "./say-in-name.ts";

type MessageEvent = Extract<ChatEvent, { type: "message" }>;

export const NEW_CONVERSATION = /^\s*\/?(?:new|new conversation|start over)\s*$/i;

/** A message of a known person is a turn of their conversation. Its reply follows when the turn ends. */
export async function handleMessage(parts: HandlingParts, channel: OpenChannel, event: MessageEvent): Promise<Handled> {
  if (!event.isDirect) {
    await whisper(parts, channel, event, TEXTS.writeDirectly);
    return "not direct";
  }
  const { stores } = parts;
  const person = await stores.channelPeople.see(channel, {
    externalId: event.from,
    address: event.address,
    phone: event.phone,
    at: readTime(parts, event),
  });
  const code = readCode(event.text);
  if (code !== undefined && (await tryCode(parts, channel, { person, event, code }))) return "code";
  if (person.userId === undefined) {
    await notice(parts, channel, event, TEXTS.stranger);
    return "a stranger";
  }
  const { media } = event;
  if (media !== undefined && findSystem(parts, channel.kind).fetchMedia !== undefined) {
    return await askAboutDocument(parts, channel, { ...event, media });
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
