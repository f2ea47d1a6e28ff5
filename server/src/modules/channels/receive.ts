import { z } from "zod";
import { currentTraceId } from "../../domain/trace.ts";
import type { ChatEvent } from "../../ports/chat.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import type { OpenChannel } from "./channels.ts";
import type { Stores } from "./context.ts";
import type { InboxItem } from "./stores/store-events.ts";

const sealingContext = (id: string): string => `channel_event ${id}`;

const Media = z.object({ id: z.string(), contentType: z.string(), fileName: z.string() });
const base = { id: z.string(), atSeconds: z.number().optional() };
const StoredEvent: z.ZodType<ChatEvent> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    ...base,
    from: z.string(),
    address: z.string(),
    text: z.string(),
    phone: z.string().optional(),
    isDirect: z.boolean(),
    media: Media.optional(),
  }),
  z.object({
    type: z.literal("press"),
    ...base,
    from: z.string(),
    address: z.string(),
    value: z.string(),
    phone: z.string().optional(),
  }),
  z.object({
    type: z.literal("status"),
    ...base,
    messageId: z.string(),
    ref: z.string().optional(),
    status: z.enum(["sent", "delivered", "read", "failed"]),
    isWindowClosed: z.boolean(),
    problem: z.string().optional(),
  }),
  z.object({ type: z.literal("uninstalled"), ...base }),
  z.object({ type: z.literal("renamed"), ...base, from: z.string(), to: z.string(), phone: z.string().optional() }),
]);

/** How long an event is known again. Whatever happened before that could be a repetition, and is left out. */
export const EVENTS_KEPT = { hours: 8 * 24 };
const OLDEST = { hours: 7 * 24 };

/** Stores events before they are acknowledged, each once however often it comes. */
export async function receiveEvents(
  { stores, vault, clock }: { stores: Pick<Stores, "channelInbox">; vault: Vault; clock: Clock },
  { id: channelId, tenantId, environment }: OpenChannel,
  events: readonly ChatEvent[],
): Promise<void> {
  const oldest = Math.floor(clock.now().subtract(OLDEST).epochMilliseconds / 1_000);
  for (const event of events.filter(({ atSeconds }) => atSeconds === undefined || atSeconds >= oldest)) {
    const id = `${channelId}:${event.id}`;
    const thread = `${channelId}:${chooseThread(event)}`;
    const encryptedEvent = vault.encrypt(JSON.stringify(event), sealingContext(id));
    const traceId = currentTraceId() ?? null;
    const item: InboxItem = { id, tenantId, source: "chat", channelId, thread, about: null, encryptedEvent, traceId };
    await stores.channelInbox.receive(environment, item, clock.now());
  }
}

/** A person's events are handled in their order, and so are a message's. */
function chooseThread(event: ChatEvent): string {
  if ("from" in event) return event.from;
  return event.type === "status" ? event.messageId : event.type;
}

/** Undefined: the item has none. */
export function openEvent(vault: Vault, { id, encryptedEvent }: InboxItem): ChatEvent | undefined {
  if (encryptedEvent === null) return undefined;
  return StoredEvent.parse(JSON.parse(vault.decrypt(encryptedEvent, sealingContext(id))));
}
