import { sql } from "kysely";
import { Failure } from "../domain/errors.ts";
import { formatDecimal, type Micro } from "../domain/money.ts";
import type { Hex, TokenSymbol } from "../domain/tokens.ts";
import type { Clock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import type { Balance, Purse } from "../ports/ledger.ts";
import type { LedgerAccountKind, LedgerTransactionKind } from "./booking-tables.ts";
import type { Queryable } from "./database.ts";

export interface Move {
  kind: LedgerAccountKind;
  /** Null: the service's own account. */
  tenantId: string | null;
  amount: Micro;
}

export interface Posting {
  network: Environment;
  token: TokenSymbol;
  reference: string;
  kind: LedgerTransactionKind;
  moves: readonly Move[];
  /** The event of the chain that this stands for. */
  event?: { transactionHash: Hex; logIndex: number; blockNumber: bigint };
}

type Account = Pick<Posting, "network" | "token"> & { move: Pick<Move, "kind" | "tenantId"> };

/**
 * True for each posting that was not there already; one that is there must be the same. Whoever posts several in one transaction
 * does it by one call: first all references are taken, in their order, and then all accounts, in theirs (`lockKey`). One after
 * the other, the second posting would want a tenant's account while the first holds one that every tenant's postings share.
 */
export async function postAll(db: Queryable, postings: readonly Posting[], clock: Clock): Promise<boolean[]> {
  const fresh: { id: bigint; posting: Posting }[] = [];
  const posted: boolean[] = [];
  for (const given of postings) {
    const posting = { ...given, moves: inLockOrder(given.moves) };
    const id = await insertTransaction(db, posting, clock);
    if (id === undefined) await confirmSame(db, posting);
    else fresh.push({ id, posting });
    posted.push(id !== undefined);
  }
  if (fresh.length > 1) await lockAccounts(db, fresh.map(({ posting }) => posting).flatMap(accountsOf));
  for (const { id, posting } of fresh) await applyMoves(db, id, posting);
  return posted;
}

const accountsOf = ({ network, token, moves }: Posting): Account[] => moves.map((move) => ({ network, token, move }));

/** Tenants' accounts first, the service's, which every tenant's postings share, last. */
const lockKey = ({ kind, tenantId }: Pick<Move, "kind" | "tenantId">): string =>
  `${tenantId === null ? 1 : 0} ${tenantId ?? ""} ${kind}`;

/** Every posting locks accounts in one order, so that two of them never wait for each other in a circle. What changes nothing is left out. */
function inLockOrder(moves: readonly Move[]): readonly Move[] {
  return moves.filter(({ amount }) => amount !== 0n).toSorted((a, b) => (lockKey(a) < lockKey(b) ? -1 : 1));
}

async function lockAccounts(db: Queryable, accounts: readonly Account[]): Promise<void> {
  const byId = new Map(accounts.map((account) => [accountId(account), account]));
  const key = ({ move, token }: Account) => `${lockKey(move)} ${token}`;
  const ordered = [...byId].toSorted(([, a], [, b]) => (key(a) < key(b) ? -1 : 1));
  for (const [, account] of ordered) await ensureAccount(db, account);
  const ids = ordered.map(([id]) => id);
  await sql`
    select account.id from unnest(${ids}::text[]) with ordinality as wanted (id, ord)
      join ledger_account as account on account.id = wanted.id
    order by wanted.ord for update of account`.execute(db);
}

/** Undefined: a transaction of this reference is there. */
async function insertTransaction(
  db: Queryable,
  { reference, kind, event }: Posting,
  clock: Clock,
): Promise<bigint | undefined> {
  const created = await db
    .insertInto("ledger_transaction")
    .values({
      reference,
      kind,
      created_at: clock.now().toString(),
      transaction_hash: event?.transactionHash ?? null,
      log_index: event?.logIndex ?? null,
      block_number: event?.blockNumber ?? null,
    })
    .onConflict((conflict) => conflict.column("reference").doNothing())
    .returning("id")
    .executeTakeFirst();
  return created?.id;
}

async function applyMoves(db: Queryable, transactionId: bigint, posting: Posting): Promise<void> {
  const { network, token, reference, moves } = posting;
  for (const move of moves) {
    const account = await ensureAccount(db, { network, token, move });
    const updated = await db
      .updateTable("ledger_account")
      .set({ balance_micro: sql`balance_micro + ${move.amount.toString()}::bigint` })
      .where("id", "=", account)
      .where((row) =>
        row.or([row("kind", "=", "external"), sql<boolean>`balance_micro + ${move.amount.toString()}::bigint >= 0`]),
      )
      .returning("id")
      .executeTakeFirst();
    if (updated === undefined) {
      if (move.kind === "prefunded" && move.tenantId !== null) {
        throw await insufficient(db, { network, token, tenantId: move.tenantId }, -move.amount);
      }
      throw new Error(`ledger: ${reference} takes more from ${account} than it holds`);
    }
    await db
      .insertInto("ledger_entry")
      .values({ transaction_id: transactionId, account_id: account, amount_micro: move.amount })
      .execute();
  }
}

async function confirmSame(db: Queryable, posting: Posting): Promise<void> {
  const { network, token, reference, kind, moves } = posting;
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
      stored.some((row) => row.account_id === accountId({ network, token, move }) && row.amount_micro === move.amount),
    );
  if (!same) throw new Error(`ledger: ${reference} was posted before and differently`);
}

function accountId({ network, token, move }: Account): string {
  const name = `${network}:${token}:${move.kind}`;
  return move.tenantId === null ? name : `${name}:${move.tenantId}`;
}

export function accountOf({ network, token, tenantId }: Purse, kind: LedgerAccountKind): string {
  return accountId({ network, token, move: { kind, tenantId } });
}

async function ensureAccount(db: Queryable, account: Account): Promise<string> {
  const id = accountId(account);
  const { network, token, move } = account;
  await db
    .insertInto("ledger_account")
    .values({ id, network, token, tenant_id: move.tenantId, kind: move.kind })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  return id;
}

async function insufficient(db: Queryable, purse: Purse, required: Micro): Promise<Failure> {
  const { available } = await readBalance(db, purse);
  const missing = required - available;
  const unit = purse.token === "USDC" ? "Usdc" : "Eurc";
  return new Failure("insufficient_balance", {
    detail: `The treasury lacks ${formatDecimal(missing)} ${purse.token}. Add at least that and call again.`,
    extra: {
      [`required${unit}`]: formatDecimal(required),
      [`available${unit}`]: formatDecimal(available),
      [`missing${unit}`]: formatDecimal(missing),
    },
  });
}

export async function readBalance(db: Queryable, purse: Purse): Promise<Balance> {
  const ids = (["prefunded", "held", "outgoing"] as const).map((kind) => accountOf(purse, kind));
  const rows = await db.selectFrom("ledger_account").select(["id", "balance_micro"]).where("id", "in", ids).execute();
  const [available, held, outgoing] = ids.map((id) => rows.find((row) => row.id === id)?.balance_micro ?? 0n);
  return { available: available ?? 0n, held: held ?? 0n, outgoing: outgoing ?? 0n };
}
