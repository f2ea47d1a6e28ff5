import { sql } from "kysely";
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
  readonly traceId: string | null;
}

/** Each item once, however often it arrives. */
export interface ChannelInbox extends Inbox<InboxItem> {
  /** Their ids are kept longer, to know them again. */
  forgetWords(before: Temporal.Instant): Promise<void>;
}

export function createChannelInbox(db: Queryable, clock: Clock): ChannelInbox {
  const inbox = createInbox<InboxItem, InboxItem & { attempts: number }>(db, clock, {
    name: "channel_event",
    columns: ["tenantId", "source", "channelId", "thread", "about", "encryptedEvent", "traceId"],
    conversation: "thread",
    toItem: ({ attempts: _, ...item }) => item,
  });
  return {
    ...inbox,
    async forgetWords(before) {
      await sql`
        update channel_event set encrypted_event = null
        where finished_at < ${before.toString()}::timestamptz and encrypted_event is not null`.execute(db);
    },
  };
}

export const WAITING_EVENTS: Queue = {
  name: "channel_event",
  earliest: "select min(next_at) from channel_event where finished_at is null",
};
