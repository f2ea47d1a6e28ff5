import { inTrace } from "../../domain/trace.ts";
import type { TakenItem } from "../../platform/inbox/store-inbox.ts";
import type { ChatEvent } from "../../ports/chat.ts";
import type { Environment } from "../../ports/identity.ts";
import type { OpenChannel } from "./channels.ts";
import { handleMail, type MailParts } from "./email/handle-mail.ts";
import { handleMessage } from "./handling/handle-message.ts";
import { handlePress } from "./handling/handle-press.ts";
import type { Handled, HandlingParts } from "./handling/handling.ts";
import { replyInChannel } from "./handling/reply.ts";
import { showApproval } from "./handling/show-approval.ts";
import { openEvent } from "./receive.ts";
import type { InboxItem } from "./stores/store-events.ts";

/** Handles a stored item. Whatever it stores is stored once, however often the item is handled. */
export async function handleItem(
  parts: MailParts,
  environment: Environment,
  item: TakenItem<InboxItem>,
): Promise<string> {
  const { source, about, channelId, tenantId } = item;
  if (source === "turn") return await replyInChannel(parts, about ?? "", item.thread, item.attempts);
  if (source === "mail") return await handleMail(parts, item);
  if (source === "approval") return await showApproval(parts, { tenantId, environment }, about ?? "");
  const channel = await parts.stores.channels.open(channelId ?? "");
  const event = openEvent(parts.vault, item);
  if (channel === undefined || event === undefined) return "no such channel";
  const handle = () => handleEvent(parts, channel, event);
  const handled = await inTrace(item.traceId, handle, { tenantId, environment }, { program: channel.kind });
  if (typeof handled === "string") return handled;
  await parts.stores.channelRecords.note(environment, item.id, handled);
  return handled.outcome;
}

async function handleEvent(parts: HandlingParts, channel: OpenChannel, event: ChatEvent): Promise<Handled> {
  const { channels, channelMessages } = parts.stores;
  if (event.type === "uninstalled") {
    await channels.switchOff(channel, "It was removed there.");
    await channelMessages.failWaiting(channel.id, "The channel is off.");
    return "switched off";
  }
  if (channel.state !== "on") return "the channel is off";
  if (event.type === "message") return await handleMessage(parts, channel, event);
  if (event.type === "press") return await handlePress(parts, channel, event);
  if (event.type === "status") {
    if (await channelMessages.rise(channel.id, event)) return event.status;
    return "no change";
  }
  const { from, to, phone } = event;
  return (await parts.stores.channelPeople.rename(channel.id, { from, to, phone })) ? "renamed" : "nobody was renamed";
}
