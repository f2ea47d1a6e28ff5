import type { ChatMessage, ChatSender, ChatTemplate } from "../../../ports/chat.ts";
import type { Channel, LeasedMessage } from "../channels.ts";
import type { Parts } from "../context.ts";
import { nameTemplates } from "../installation-whatsapp.ts";

/** The clocks of both sides differ, and a message is on its way for a while. */
const MARGIN_SECONDS = 60;

interface WindowParts {
  readonly stores: Pick<Parts["stores"], "channelPeople">;
  readonly clock: { now(): Temporal.Instant };
}

/** Whether anything may be sent to this person now. Judged at each attempt: the window may have closed since the last one. */
export async function isWindowOpen(
  { stores, clock }: WindowParts,
  { windowHours }: Pick<ChatSender, "windowHours">,
  { channelId, address }: LeasedMessage,
): Promise<boolean> {
  if (windowHours === undefined) return true;
  const last = await stores.channelPeople.findLastMessage(channelId, address);
  if (last === undefined) return false;
  const end = last.add({ seconds: windowHours * 3_600 - MARGIN_SECONDS });
  return Temporal.Instant.compare(clock.now(), end) < 0;
}

/** The template that says the same. */
export function chooseTemplate(
  { settings }: Channel,
  { kind }: LeasedMessage,
  { text, buttons }: ChatMessage,
  parameter: string | undefined,
): ChatTemplate {
  const { language, update, approval, claimLink, claimCode } = nameTemplates(settings);
  const filled = { language, parameter: parameter ?? text };
  if (kind === "claim_link") return { ...filled, name: claimLink, shape: "text" };
  if (kind === "claim_code") return { ...filled, name: claimCode, shape: "code" };
  return kind === "approval" && buttons.length > 0
    ? { ...filled, name: approval, shape: "buttons" }
    : { ...filled, name: update, shape: "text" };
}
