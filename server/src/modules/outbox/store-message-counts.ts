import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "outbox.messageCounts": MessageCounts;
  }
}

interface CountedMessage {
  environment: Environment;
  tenantId: string;
  recipient: string;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

/** The number of messages per day, of all kinds and carriers. */
interface MessageCounts {
  /** Counts a message of this day. False: its tenant or its recipient has reached the limit. */
  count(message: CountedMessage): Promise<boolean>;
  /** Deletes the counts of past days. */
  forget(before: Temporal.PlainDate): Promise<void>;
}

export function createMessageCounts(db: Queryable, clock: Clock): MessageCounts {
  return {
    async count({ environment, tenantId, recipient, mostPerTenantAndDay, mostPerRecipientAndDay }) {
      const address = createHash("sha256").update(recipient.toLowerCase()).digest("base64url");
      const day = clock.now().toString().slice(0, 10);
      // A message that is refused for its recipient still counts for its tenant. The tenant's row is always taken first, so that
      // transactions which count several messages do not deadlock.
      const { rows } = await sql`
        insert into guest_mail_count (network, counted, day, mails)
        values (${environment}, ${`tenant:${tenantId}`}, ${day}, 1), (${environment}, ${`recipient:${address}`}, ${day}, 1)
        on conflict (network, counted, day) do update set mails = guest_mail_count.mails + 1
        where guest_mail_count.mails < case when guest_mail_count.counted like 'tenant:%'
          then ${mostPerTenantAndDay}::integer else ${mostPerRecipientAndDay}::integer end
        returning counted`.execute(db);
      return rows.length === 2;
    },

    async forget(before) {
      await pruneRows(db, "guest_mail_count", sql`day < ${before.toString()}`);
    },
  };
}
