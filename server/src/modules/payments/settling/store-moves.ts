import { sql } from "kysely";
import type { Micro } from "../../../domain/money.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { PaymentTable } from "../../../platform/database/generated-tables.ts";
import type { Clock } from "../../../ports/clock.ts";
import { LEFT_BEHIND } from "../../charging/index.ts";

export interface PaymentStorage {
  db: Queryable;
  clock: Clock;
}

function inTransaction<T>({ db }: PaymentStorage, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Changes a payment only if it is still in `from`. */
export function movePayment(
  storage: PaymentStorage,
  id: string,
  from: "earned" | "receivable",
  change: { state: "earned" | "receivable"; failure: string | null; chainTransactionId?: string | null },
  unchangedSince?: Temporal.Instant,
): Promise<boolean> {
  return inTransaction(storage, async (db) => {
    const row = await db
      .updateTable("payment")
      .set({ ...change, updatedAt: storage.clock.now().toString() })
      .where("id", "=", id)
      .where("state", "=", from)
      .where(
        sql<boolean>`coalesce(updated_at = ${unchangedSince?.toString() ?? null}::timestamptz, ${unchangedSince === undefined}::boolean)`,
      )
      .returning(["environment", "chain", "asset", "payer", "amountMicro", "callId"])
      .executeTakeFirst();
    if (row === undefined) return false;
    const isOwed = change.state === "receivable";
    const open = isOwed ? -row.amountMicro : row.amountMicro;
    await changeOwed(db, row, { open, receivables: isOwed ? 1 : -1, underWay: isOwed ? -1 : 1 });
    // A later call for the same answer pays for it, unless this payment settles after all.
    await db
      .updateTable("call")
      .set({ state: isOwed ? "released" : "captured" })
      .where("id", "=", row.callId)
      .where("state", "=", isOwed ? "captured" : "released")
      .execute();
    return true;
  });
}

/** `Payments.release`. */
export function releasePayment(storage: PaymentStorage, id: string): Promise<boolean> {
  return inTransaction(storage, async (db) => {
    const row = await db
      .selectFrom("payment")
      .select(["environment", "chain", "asset", "payer", "amountMicro", "callId"])
      .where("id", "=", id)
      .where("state", "=", "claimed")
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return false;
    const call = await db
      .selectFrom("call")
      .select("effect")
      .where("id", "=", row.callId)
      .forUpdate()
      .executeTakeFirst();
    if (call?.effect === "open" || call?.effect === "done") {
      await db.updateTable("payment").set({ processId: LEFT_BEHIND }).where("id", "=", id).execute();
      return false;
    }
    await db.deleteFrom("payment").where("id", "=", id).execute();
    await changeOwed(db, row, { open: -row.amountMicro, receivables: 0, underWay: -1 });
    await db
      .updateTable("call")
      .set({ state: "released", settledAt: storage.clock.now().toString() })
      .where("id", "=", row.callId)
      .where("state", "=", "reserved")
      .execute();
    return true;
  });
}

async function changeOwed(
  db: Queryable,
  { environment, chain, asset, payer }: Pick<PaymentTable, "environment" | "chain" | "asset" | "payer">,
  change: { open: Micro; receivables: number; underWay: number },
): Promise<void> {
  await db
    .updateTable("paymentPayer")
    .set({
      openMicro: sql`open_micro + ${change.open}::bigint`,
      receivables: sql`receivables + ${change.receivables}::int`,
      underWay: sql`under_way + ${change.underWay}::int`,
    })
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("asset", "=", asset)
    .where("payer", "=", payer)
    .execute();
}
