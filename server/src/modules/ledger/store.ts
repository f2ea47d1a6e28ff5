import { sql } from "kysely";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { inTrace } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { LedgerTransactionTable } from "../../platform/database/generated-tables.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";
import type { Ledger, OwnedMovement, Purse, WalletOwner } from "./ledger.ts";
import {
  findOthers,
  isAccount,
  type Move,
  type Posting,
  postAll,
  readAccount,
  readBalance,
  readGateway,
} from "./store-postings.ts";

/**
 * The ledger in PostgreSQL. A tenant's balance is checked by the statement that changes it, under its row lock. Inside a
 * caller's transaction a failure must end that transaction, like any other error there.
 */
export function createLedger(queryable: Queryable, clock: Clock): Ledger {
  function inTransaction<T>(work: (books: Books) => Promise<T>): Promise<T> {
    return queryable.isTransaction
      ? work({ db: queryable, clock })
      : queryable.transaction().execute((db) => work({ db, clock }));
  }

  return {
    balance: (purse) => readBalance(queryable, purse),

    inGateway: (tenant) => readGateway(queryable, tenant),

    holds: (purse) => readHolds(queryable, purse),

    async hold(purse, amount, reference) {
      refuseNegative(amount);
      const moves = between("prefunded", "held", amount);
      await inTransaction((books) =>
        postInPurse(books, purse, { reference: `hold:${reference}`, kind: "hold", moves }),
      );
    },

    async capture(purse, reference, amount) {
      refuseNegative(amount);
      await inTransaction((books) => settle(books, purse, reference, "capture", amount));
    },

    release: (purse, reference) => inTransaction((books) => settle(books, purse, reference, "release", 0n)),

    async send(purse, amount, reference) {
      refuseNegative(amount);
      await inTransaction(async (books) => {
        const moves = between("prefunded", "outgoing", amount);
        const posted = await postInPurse(books, purse, { reference: `send:${reference}`, kind: "send", moves });
        if (posted) await audit(books, purse, "send", reference, amount);
      });
    },

    async takeBack(purse, amount, reference) {
      refuseNegative(amount);
      await inTransaction(async (books) => {
        const moves = between("outgoing", "prefunded", amount);
        const posting = { reference: `take_back:${reference}`, kind: "take_back", moves } as const;
        if (await postInPurse(books, purse, posting)) await audit(books, purse, "take_back", reference, amount);
      });
    },

    async land(purse, { arrived, fee }, reference) {
      refuseNegative(arrived);
      refuseNegative(fee);
      const { environment, chain, token, tenantId } = purse;
      await inTransaction(async (books) => {
        const moves = [
          { kind: "in_flight", tenantId, amount: -(arrived + fee) },
          { kind: "transfer_fee", tenantId, amount: fee },
          { kind: "external", tenantId: null, amount: arrived },
        ] as const;
        const posting: Posting = { environment, chain, token, reference: `land:${reference}`, kind: "land", moves };
        const [posted] = await postAll(books.db, [posting], clock);
        if (posted === true) await audit(books, purse, "land", reference, arrived);
      });
    },

    inFlight: (purse) => readAccount(queryable, purse, "in_flight"),

    async refund(purse, amount, reference) {
      refuseNegative(amount);
      const { environment, chain, token } = purse;
      await inTransaction(async (books) => {
        const moves = [
          { kind: "collection", tenantId: null, amount: -amount },
          { kind: "collection_outgoing", tenantId: null, amount },
        ] as const;
        const kind = "refund";
        const posting: Posting = { environment, chain, token, reference: `refund:${reference}`, kind, moves };
        const [posted] = await postAll(books.db, [posting], clock);
        if (posted === true) await audit(books, purse, "refund", reference, amount);
      });
    },

    async postMovements(chain, movements) {
      // Reading blocks again mostly finds what was posted when its transaction ended.
      const isAgain = !queryable.isTransaction && movements.length > 0;
      const postings = movements.map((owned) => toPosting(chain, owned));
      if (isAgain && (await findOthers(queryable, postings)).length === 0) return 0;
      return await inTransaction((books) => postMovements(books, chain, movements));
    },

    async notPosted(chain, movements) {
      if (movements.length === 0) return [];
      const references = movements.map(({ movement }) => movementReference(chain, movement));
      const query = queryable.selectFrom("ledgerTransaction").select("reference").where("reference", "in", references);
      const posted = new Set((await query.execute()).map(({ reference }) => reference));
      return movements.filter(({ movement }) => !posted.has(movementReference(chain, movement)));
    },
  };
}

const MOST_HOLDS = 50;

/** Runs in a transaction. */
interface Books {
  db: Queryable;
  clock: Clock;
}

type PurseMove = Omit<Move, "tenantId">;

function between(from: Move["kind"], to: Move["kind"], amount: Micro): readonly PurseMove[] {
  return [
    { kind: from, amount: -amount },
    { kind: to, amount },
  ];
}

/** Posts between the accounts of one purse. False: it was posted before. */
async function postInPurse(
  { db, clock }: Books,
  purse: Purse,
  posting: { reference: string; kind: LedgerTransactionTable["kind"]; moves: readonly PurseMove[] },
): Promise<boolean> {
  const { environment, chain, token, tenantId } = purse;
  const moves = posting.moves.map((move) => ({ ...move, tenantId }));
  return (await postAll(db, [{ environment, chain, token, ...posting, moves }], clock))[0] === true;
}

/** Ends a hold: `amount` goes out, and the rest becomes available again. */
async function settle(
  books: Books,
  purse: Purse,
  reference: string,
  kind: "capture" | "release",
  amount: Micro,
): Promise<void> {
  const held = await heldAmount(books.db, purse, reference);
  if (amount > held) throw new Error(`ledger: ${reference} holds less than what is to be captured`);
  const moves: readonly PurseMove[] = [
    { kind: "held", amount: -held },
    { kind: "outgoing", amount },
    { kind: "prefunded", amount: held - amount },
  ];
  const posted = await postInPurse(books, purse, { reference: `settle:${reference}`, kind, moves });
  if (posted) await audit(books, purse, kind, reference, kind === "capture" ? amount : held);
}

/** Returns how many were not posted before. */
async function postMovements(books: Books, chain: ChainKey, movements: readonly OwnedMovement[]): Promise<number> {
  const { db, clock } = books;
  const postings = movements.map((owned) => toPosting(chain, owned));
  const posted = await postAll(db, postings, clock);
  for (const [index, { movement, to, traceId }] of movements.entries()) {
    if (posted[index] !== true || to?.kind !== "treasury") continue;
    const { token, amount, transactionHash } = movement;
    const purse = { ...chain, token, tenantId: to.tenantId };
    await inTrace(traceId, () => audit(books, purse, "deposit", transactionHash, amount));
  }
  return posted.filter((isNew) => isNew).length;
}

async function audit(
  { db, clock }: Books,
  { environment, token, tenantId }: Purse,
  kind: string,
  reference: string,
  amount: Micro,
): Promise<void> {
  const details = { network: environment, token, amount: formatDecimal(amount) };
  const entry = { tenantId, environment, actor: "ledger", action: `ledger.${kind}`, subjectId: reference, details };
  await appendAudit(db, entry, clock);
}

function refuseNegative(amount: Micro): void {
  if (amount < 0n) throw new RangeError("ledger: an amount must not be negative");
}

/** With the chain: the same signed transaction can be on several. */
function movementReference(
  { environment, chain }: ChainKey,
  { transactionHash, logIndex }: OwnedMovement["movement"],
): string {
  return `movement:${environment}:${chain}:${transactionHash}:${logIndex}`;
}

function toPosting(chain: ChainKey, { movement, from, to, traceId }: OwnedMovement): Posting {
  const { token, amount, transactionHash, logIndex, blockNumber } = movement;
  return {
    ...chain,
    token,
    reference: movementReference(chain, movement),
    kind: "movement",
    traceId,
    moves: [
      { ...sender(from), amount: -amount },
      { ...receiver(to), amount },
    ],
    event: { transactionHash, logIndex, blockNumber, from: movement.from },
  };
}

function sender(owner: WalletOwner | undefined): Omit<Move, "amount"> {
  switch (owner?.kind) {
    case undefined:
      return { kind: "external", tenantId: null };
    case "treasury":
      return { kind: "outgoing", tenantId: owner.tenantId };
    case "collection":
      return { kind: "collection_outgoing", tenantId: null };
    case "escrow":
      return { kind: "escrow", tenantId: owner.tenantId ?? null };
    case "in_flight":
      throw new Error("ledger: money in flight is at no address");
  }
}

function receiver(owner: WalletOwner | undefined): Omit<Move, "amount"> {
  switch (owner?.kind) {
    case undefined:
      return { kind: "external", tenantId: null };
    case "treasury":
      return { kind: "prefunded", tenantId: owner.tenantId };
    case "in_flight":
      return { kind: "in_flight", tenantId: owner.tenantId };
    case "collection":
      return { kind: "collection", tenantId: null };
    case "escrow":
      return { kind: "escrow", tenantId: owner.tenantId ?? null };
  }
}

async function readHolds(db: Queryable, purse: Purse): Promise<{ reference: string; amount: Micro }[]> {
  return await db
    .selectFrom("ledgerAccount")
    .innerJoin("ledgerEntry", "ledgerEntry.accountId", "ledgerAccount.id")
    .innerJoin("ledgerTransaction", "ledgerTransaction.id", "ledgerEntry.transactionId")
    .select(["ledgerEntry.amountMicro as amount", sql<string>`substr(reference, length('hold:') + 1)`.as("reference")])
    .where(isAccount(purse, "held"))
    .where("ledgerTransaction.kind", "=", "hold")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("ledgerTransaction as end")
            .select("end.id")
            .where(
              "end.reference",
              "=",
              sql<string>`'settle:' || substr(ledger_transaction.reference, length('hold:') + 1)`,
            ),
        ),
      ),
    )
    .orderBy("ledgerTransaction.id")
    .limit(MOST_HOLDS)
    .execute();
}

async function heldAmount(db: Queryable, purse: Purse, reference: string): Promise<Micro> {
  const row = await db
    .selectFrom("ledgerTransaction")
    .leftJoin("ledgerEntry", (join) =>
      join
        .onRef("ledgerEntry.transactionId", "=", "ledgerTransaction.id")
        .on(
          "ledgerEntry.accountId",
          "=",
          sql<string>`(select id from ledger_account where ${isAccount(purse, "held")})`,
        ),
    )
    .select(({ exists, selectFrom }) => [
      "amountMicro",
      exists(selectFrom("ledgerEntry").select("accountId").whereRef("transactionId", "=", "ledgerTransaction.id")).as(
        "moved",
      ),
    ])
    .where("reference", "=", `hold:${reference}`)
    .executeTakeFirst();
  // Or its entries belong to another purse.
  if (row === undefined || (row.amountMicro === null && row.moved === true)) {
    throw new Error(`ledger: there is no hold ${reference}`);
  }
  // A hold of nothing has no entries.
  return row.amountMicro ?? 0n;
}

/** The imbalance of the ledger in micro-USDC: zero unless something is badly wrong. For a metric and for checks. */
export async function ledgerImbalance(queryable: Queryable): Promise<Micro> {
  const { rows } = await sql<{ off: string }>`
    select (
      (select coalesce(sum(abs(total)), 0) from
        (select sum(balance_micro) as total from ledger_account group by network, chain, token) as sets)
      + (select coalesce(sum(abs(total)), 0) from
        (select sum(amount_micro) as total from ledger_entry group by transaction_id) as transactions)
      + (select coalesce(sum(abs(account.balance_micro - coalesce(entries.total, 0))), 0)
        from ledger_account account left join
          (select account_id, sum(amount_micro) as total from ledger_entry group by account_id) as entries
          on entries.account_id = account.id)
    )::text as off`.execute(queryable);
  return BigInt(rows[0]?.off ?? "0");
}
