import { sql } from "kysely";
import { Failure } from "../domain/errors.ts";
import { formatDecimal, type Micro } from "../domain/money.ts";
import type { Clock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import type { Ledger, Purse } from "../ports/ledger.ts";
import { appendAudit } from "./audit.ts";
import type { LedgerAccountKind } from "./booking-tables.ts";
import type { Queryable } from "./database.ts";

interface Move {
  kind: LedgerAccountKind;
  amount: Micro;
}

interface Posting {
  purse: Purse;
  reference: string;
  kind: "deposit" | "hold" | "capture" | "release";
  moves: readonly Move[];
}

/** Every posting locks accounts in this order, so that two of them never wait for each other in a circle. */
const LOCK_ORDER: readonly LedgerAccountKind[] = ["prefunded", "held", "collection", "funding"];

/**
 * The books in PostgreSQL. A tenant's balance is checked by the statement that changes it, under its row lock. Inside a
 * caller's transaction a failure must end that transaction, as everything else that is thrown there does.
 */
export function createLedger(queryable: Queryable, clock: Clock): Ledger {
  function inTransaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return queryable.isTransaction ? work(queryable) : queryable.transaction().execute(work);
  }

  /** False: a transaction of this reference is there already, and it is the same one. */
  async function post(db: Queryable, posting: Posting): Promise<boolean> {
    const { purse, reference, kind } = posting;
    const moves = posting.moves.filter(({ amount }) => amount !== 0n);
    const created = await db
      .insertInto("ledger_transaction")
      .values({ reference, kind, created_at: clock.now().toString() })
      .onConflict((conflict) => conflict.column("reference").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (created === undefined) {
      await confirmSame(db, { ...posting, moves });
      return false;
    }
    for (const accountKind of LOCK_ORDER) {
      const move = moves.find((one) => one.kind === accountKind);
      if (move === undefined) continue;
      const account = await ensureAccount(db, purse, accountKind);
      const updated = await db
        .updateTable("ledger_account")
        .set({ balance_micro: sql`balance_micro + ${move.amount.toString()}::bigint` })
        .where("id", "=", account)
        .where((row) =>
          row.or([row("kind", "=", "funding"), sql<boolean>`balance_micro + ${move.amount.toString()}::bigint >= 0`]),
        )
        .returning("id")
        .executeTakeFirst();
      if (updated === undefined) throw await insufficient(db, purse, -move.amount);
      await db
        .insertInto("ledger_entry")
        .values({ transaction_id: created.id, account_id: account, amount_micro: move.amount })
        .execute();
    }
    return true;
  }

  async function ensureAccount(db: Queryable, purse: Purse, kind: LedgerAccountKind): Promise<string> {
    const id = accountId(purse, kind);
    const tenantId = isServiceAccount(kind) ? null : purse.tenantId;
    await db
      .insertInto("ledger_account")
      .values({ id, network: purse.network, tenant_id: tenantId, kind })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
    return id;
  }

  async function insufficient(db: Queryable, purse: Purse, required: Micro): Promise<Failure> {
    const { availableMicroUsdc } = await readBalance(db, purse);
    const missing = required - availableMicroUsdc;
    return new Failure("insufficient_balance", {
      detail: `The prefunded balance lacks ${formatDecimal(missing)} USDC. Add at least that and call again.`,
      extra: {
        requiredUsdc: formatDecimal(required),
        availableUsdc: formatDecimal(availableMicroUsdc),
        missingUsdc: formatDecimal(missing),
      },
    });
  }

  async function settle(purse: Purse, reference: string, kind: "capture" | "release", amount: Micro): Promise<void> {
    await inTransaction(async (db) => {
      const held = await heldAmount(db, purse, reference);
      if (amount > held) throw new Error(`ledger: ${reference} holds less than what is to be captured`);
      const posted = await post(db, {
        purse,
        reference: `settle:${reference}`,
        kind,
        moves: [
          { kind: "held", amount: -held },
          { kind: "collection", amount },
          { kind: "prefunded", amount: held - amount },
        ],
      });
      if (posted) await audit(db, purse, kind, reference, kind === "capture" ? amount : held);
    });
  }

  async function audit(db: Queryable, purse: Purse, kind: string, reference: string, amount: Micro): Promise<void> {
    const details = { network: purse.network, amountUsdc: formatDecimal(amount) };
    const entry = {
      tenantId: purse.tenantId,
      actor: "ledger",
      action: `ledger.${kind}`,
      subjectId: reference,
      details,
    };
    await appendAudit(db, entry, clock);
  }

  return {
    balance: (purse) => readBalance(queryable, purse),

    async deposit(purse, amount, reference) {
      refuseNegative(amount);
      await inTransaction(async (db) => {
        const posted = await post(db, {
          purse,
          reference: `deposit:${reference}`,
          kind: "deposit",
          moves: [
            { kind: "funding", amount: -amount },
            { kind: "prefunded", amount },
          ],
        });
        if (posted) await audit(db, purse, "deposit", reference, amount);
      });
    },

    async hold(purse, amount, reference) {
      refuseNegative(amount);
      await inTransaction((db) =>
        post(db, {
          purse,
          reference: `hold:${reference}`,
          kind: "hold",
          moves: [
            { kind: "prefunded", amount: -amount },
            { kind: "held", amount },
          ],
        }),
      );
    },

    async capture(purse, reference, amount) {
      refuseNegative(amount);
      await settle(purse, reference, "capture", amount);
    },

    release: (purse, reference) => settle(purse, reference, "release", 0n),
  };
}

function refuseNegative(amount: Micro): void {
  if (amount < 0n) throw new RangeError("ledger: an amount must not be negative");
}

function isServiceAccount(kind: LedgerAccountKind): boolean {
  return kind === "funding" || kind === "collection";
}

function accountId(purse: { tenantId: string; network: Environment }, kind: LedgerAccountKind): string {
  return isServiceAccount(kind) ? `${purse.network}:${kind}` : `${purse.network}:${kind}:${purse.tenantId}`;
}

async function readBalance(db: Queryable, purse: Purse): Promise<{ availableMicroUsdc: Micro; heldMicroUsdc: Micro }> {
  const prefunded = accountId(purse, "prefunded");
  const held = accountId(purse, "held");
  const rows = await db
    .selectFrom("ledger_account")
    .select(["id", "balance_micro"])
    .where("id", "in", [prefunded, held])
    .execute();
  const balanceOf = (id: string): Micro => rows.find((row) => row.id === id)?.balance_micro ?? 0n;
  return { availableMicroUsdc: balanceOf(prefunded), heldMicroUsdc: balanceOf(held) };
}

async function heldAmount(db: Queryable, purse: Purse, reference: string): Promise<Micro> {
  const row = await db
    .selectFrom("ledger_transaction")
    .leftJoin("ledger_entry", (join) =>
      join
        .onRef("ledger_entry.transaction_id", "=", "ledger_transaction.id")
        .on("ledger_entry.account_id", "=", accountId(purse, "held")),
    )
    .select(({ exists, selectFrom }) => [
      "amount_micro",
      exists(
        selectFrom("ledger_entry").select("account_id").whereRef("transaction_id", "=", "ledger_transaction.id"),
      ).as("moved"),
    ])
    .where("reference", "=", `hold:${reference}`)
    .executeTakeFirst();
  // Nor is it this purse's when its entries are another's.
  if (row === undefined || (row.amount_micro === null && row.moved === true)) {
    throw new Error(`ledger: there is no hold ${reference}`);
  }
  // A hold of nothing has no entries.
  return row.amount_micro ?? 0n;
}

async function confirmSame(db: Queryable, { purse, reference, kind, moves }: Posting): Promise<void> {
  const rows = await db
    .selectFrom("ledger_transaction")
    .leftJoin("ledger_entry", "ledger_entry.transaction_id", "ledger_transaction.id")
    .select(["kind", "account_id", "amount_micro"])
    .where("reference", "=", reference)
    .execute();
  const stored = rows.filter((row) => row.account_id !== null);
  const same =
    rows.every((row) => row.kind === kind) &&
    stored.length === moves.length &&
    moves.every((move) =>
      stored.some((row) => row.account_id === accountId(purse, move.kind) && row.amount_micro === move.amount),
    );
  if (!same) throw new Error(`ledger: ${reference} was posted before and differently`);
}

/** How far the books are off, in micro-USDC: zero unless something is badly wrong. For a metric and for checks. */
export async function ledgerImbalance(queryable: Queryable): Promise<Micro> {
  const { rows } = await sql<{ off: string }>`
    select (
      (select coalesce(sum(abs(total)), 0) from
        (select sum(balance_micro) as total from ledger_account group by network) as networks)
      + (select coalesce(sum(abs(total)), 0) from
        (select sum(amount_micro) as total from ledger_entry group by transaction_id) as transactions)
      + (select coalesce(sum(abs(account.balance_micro - coalesce(entries.total, 0))), 0)
        from ledger_account account left join
          (select account_id, sum(amount_micro) as total from ledger_entry group by account_id) as entries
          on entries.account_id = account.id)
    )::text as off`.execute(queryable);
  return BigInt(rows[0]?.off ?? "0");
}
