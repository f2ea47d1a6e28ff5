import type { Queryable } from "../../../platform/database/database.ts";
import { createInbox, type Inbox } from "../../../platform/inbox/store-inbox.ts";
import type { Queue } from "../../../platform/leased-queue/watch-queues.ts";
import type { Clock } from "../../../ports/clock.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.channelInbox": ChannelInbox;
  }
}

/** Something that a chat system told us, an ended turn, or an approval that was asked for or changed. */
export interface InboxItem {
  readonly id: string;
  readonly tenantId: string;
  readonly source: "chat" | "turn" | "approval" | "mail";
  readonly channelId: string | null;
  /** Items of a thread are handled in the order of their arrival. */
  readonly thread: string;
  readonly about: string | null;
  readonly encryptedEvent: string | null;
}

/** Each item once, however often it arrives. */
export type ChannelInbox = Inbox<InboxItem>;

export function createChannelInbox(db: Queryable, clock: Clock): ChannelInbox {
  return createInbox<InboxItem, InboxItem & { attempts: number }>(db, clock, {
    name: "channel_event",
    columns: ["tenantId", "source", "channelId", "thread", "about", "encryptedEvent"],
    conversation: "thread",
    toItem: ({ attempts: _, ...item }) => item,
  });
}

export const WAITING_EVENTS: Queue = {
  name: "channel_event",
  earliest: "select min(next_at) from channel_event where finished_at is null",
};
