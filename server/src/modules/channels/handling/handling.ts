import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { type ChatEvent, ChatFailure } from "../../../ports/chat.ts";
import type { OpenChannel } from "../channels.ts";
import type { Parts } from "../context.ts";
import type { MailSenderParts } from "../email/mail-sender.ts";
import { findSender } from "../find-sender.ts";
import { findAccess } from "../installation.ts";

export type HandlingParts = MailSenderParts &
  Pick<CommonParts, "identity" | "random" | "log" | "kernel" | "pageTranscriber"> &
  Pick<Parts, "stores" | "conversations" | "portsFor">;

/** How an event ended, and the conversation or approval that it belongs to. */
export type Handled =
  | string
  | { readonly outcome: string; readonly conversationId?: string; readonly approvalId?: string };

const NOTICE_LIFETIME = { hours: 1 };

type Told = Extract<ChatEvent, { type: "message" | "press" }>;

/** When an event happened: late ones say so. */
export function readTime({ clock }: Pick<HandlingParts, "clock">, { atSeconds }: ChatEvent): Temporal.Instant {
  return atSeconds === undefined ? clock.now() : Temporal.Instant.fromEpochMilliseconds(atSeconds * 1_000);
}

/** Answers an event with a text of ours, once. */
export async function notice(
  { stores, clock }: Pick<HandlingParts, "stores" | "clock">,
  { id: channelId, tenantId, environment }: OpenChannel,
  { id, address }: Pick<Told, "id" | "address">,
  text: string,
): Promise<void> {
  const giveUpAt = clock.now().add(NOTICE_LIFETIME);
  const content = { text, buttons: [] };
  await stores.channelMessages.insert({
    ...{ channelId, tenantId, environment, address, giveUpAt, content },
    kind: "notice",
    about: id,
  });
}

/** Tells one person something where others read along. It is lost if the chat system fails: nothing depends on it. */
export async function whisper(
  parts: HandlingParts,
  channel: OpenChannel,
  { address, from }: Pick<Told, "address" | "from">,
  text: string,
): Promise<void> {
  try {
    const access = await findAccess(parts, channel);
    await findSender(parts, channel).whisper(access, { address, person: from }, text);
  } catch (error) {
    if (!(error instanceof ChatFailure)) throw error;
    parts.log.info({ channelId: channel.id, why: error.message }, "a whisper in a channel was lost");
  }
}
