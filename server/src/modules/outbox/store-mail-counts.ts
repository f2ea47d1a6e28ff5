import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "outbox.mailCounts": MailCounts;
  }
}

interface CountedMail {
  environment: Environment;
  tenantId: string;
  recipient: string;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

/** How many mails go out in a day, of whatever kind. */
interface MailCounts {
  /** Counts a mail of this day. False: its tenant or its recipient has had as many as may be. */
  count(mail: CountedMail): Promise<boolean>;
  /** Forgets the counts of days that are over. */
  forget(before: Temporal.PlainDate): Promise<void>;
}

export function createMailCounts(db: Queryable, clock: Clock): MailCounts {
  return {
    async count({ environment, tenantId, recipient, mostPerTenantAndDay, mostPerRecipientAndDay }) {
      const address = createHash("sha256").update(recipient.toLowerCase()).digest("base64url");
      const day = clock.now().toString().slice(0, 10);
      // One that is refused for its recipient counts for its tenant all the same. The tenant comes first for all, so that transactions
      // which count several mails do not wait for each other.
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
