import { sql } from "kysely";
import { earliestId } from "../../domain/ids.ts";
import type { Micro } from "../../domain/money.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "charging.keyFees": KeyFees;
  }
}

/** Its calls are paid by payments of their own. */
const PAID_SURFACE = "paid";

interface KeyOwner {
  tenantId: string;
  environment: Environment;
  keyId: string;
}

/** The costs of one key's calls. Calls that a signed payment paid for cost the tenant nothing and are not among them. */
export function createKeyFees(db: Queryable) {
  return {
    /** The usage records made from the first moment (inclusive) to the second (exclusive). */
    async sum(owner: KeyOwner, from: Temporal.Instant, to: Temporal.Instant): Promise<Micro> {
      const end = earliestId("use_", to.epochMilliseconds);
      const { rows } = await sql<{ sum: bigint }>`select ${sumOfRecords(owner, from)} and id < ${end}) as sum`.execute(
        db,
      );
      return rows[0]?.sum ?? 0n;
    },

    /**
     * The usage records from this moment on, and the calls that have reserved their price and not ended, except the given one. One
     * statement, as a call that ends turns from one into the other.
     */
    async open(owner: KeyOwner, from: Temporal.Instant, exceptCallId: string): Promise<Micro> {
      const { tenantId, environment, keyId } = owner;
      const { rows } = await sql<{ sum: bigint }>`
        select ${sumOfRecords(owner, from)}) + (
          select coalesce(sum(price_micro), 0)::bigint from call
          where state = 'reserved' and tenant_id = ${tenantId} and network = ${environment} and key_id = ${keyId}
            and id <> ${exceptCallId}) as sum`.execute(db);
      return rows[0]?.sum ?? 0n;
    },

    /** Until the end of the transaction no other call of the key takes a share. */
    async lock({ tenantId, environment, keyId }: KeyOwner): Promise<void> {
      const name = `key_fees:${environment}:${tenantId}:${keyId}`;
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
    },
  };
}

/** Without its closing parenthesis. */
function sumOfRecords({ tenantId, environment, keyId }: KeyOwner, from: Temporal.Instant) {
  return sql`(select coalesce(sum(price_micro), 0)::bigint from usage_record
    where tenant_id = ${tenantId} and network = ${environment} and key_id = ${keyId} and surface <> ${PAID_SURFACE}
      and id >= ${earliestId("use_", from.epochMilliseconds)}`;
}

type KeyFees = ReturnType<typeof createKeyFees>;
