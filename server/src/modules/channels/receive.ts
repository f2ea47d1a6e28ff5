import { z } from "zod";
import type { ChatEvent } from "../../ports/chat.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import type { OpenChannel } from "./channels.ts";
import type { Stores } from "./context.ts";
import type { InboxItem } from "./stores/store-events.ts";

const sealingContext = (id: string): string => `channel_event ${id}`;

const Media = z.object({ id: z.string(), contentType: z.string(), fileName: z.string() });
const StoredEvent: z.ZodType<ChatEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string(),
    from: z.string(),
    address: z.string(),
    text: z.string(),
    isDirect: z.boolean(),
    media: Media.optional(),
  }),
  z.object({ type: z.literal("press"), id: z.string(), from: z.string(), address: z.string(), value: z.string() }),
  z.object({
    type: z.literal("status"),
    id: z.string(),
    messageId: z.string(),
    ref: z.string().optional(),
    status: z.enum(["sent", "delivered", "read", "failed"]),
    isWindowClosed: z.boolean(),
    problem: z.string().optional(),
  }),
  z.object({ type: z.literal("uninstalled"), id: z.string() }),
  z.object({ type: z.literal("renamed"), id: z.string(), from: z.string(), to: z.string() }),
]);

/** Stores events before they are acknowledged, each once however often it comes. */
export async function receiveEvents(
  { stores, vault, clock }: { stores: Pick<Stores, "channelInbox">; vault: Vault; clock: Clock },
  { id: channelId, tenantId, environment }: OpenChannel,
  events: readonly ChatEvent[],
): Promise<void> {
  for (const event of events) {
    const id = `${channelId}:${event.id}`;
    const thread = `${channelId}:${"from" in event ? event.from : event.type}`;
    const encryptedEvent = vault.encrypt(JSON.stringify(event), sealingContext(id));
    const item: InboxItem = { id, tenantId, source: "chat", channelId, thread, about: null, encryptedEvent };
    await stores.channelInbox.receive(environment, item, clock.now());
  }
}

/** Undefined: the item has none. */
export function openEvent(vault: Vault, { id, encryptedEvent }: InboxItem): ChatEvent | undefined {
  if (encryptedEvent === null) return undefined;
  return StoredEvent.parse(JSON.parse(vault.decrypt(encryptedEvent, sealingContext(id))));
}
