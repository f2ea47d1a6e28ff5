import { sql } from "kysely";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { LedgerAccountTable, LedgerTransactionTable } from "../../platform/database/generated-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Balance, Purse } from "./ledger.ts";

export interface Move {
  kind: LedgerAccountTable["kind"];
  /** Null: the service's own account. */
  tenantId: string | null;
  amount: Micro;
}

export interface Posting {
  environment: Environment;
  token: TokenSymbol;
  reference: string;
  kind: LedgerTransactionTable["kind"];
  moves: readonly Move[];
  /** The trace of its call; default: the current one. */
  traceId?: string | null | undefined;
  /** The chain event that it records. */
  event?: { transactionHash: Hex; logIndex: number; blockNumber: bigint; from: Hex };
}

type Account = Pick<Posting, "environment" | "token"> & { move: Pick<Move, "kind" | "tenantId"> };

/**
 * Returns true for each new posting; an existing one must be the same, except for an escrow exchanged since (`possibleAccounts`).
 * Postings of one transaction must be made by a single call: it takes all references first, in one order, and then all
 * accounts, in theirs (`lockKey`). Separate calls could lock a tenant's account after one that all tenants' postings share.
 */
export async function postAll(db: Queryable, postings: readonly Posting[], clock: Clock): Promise<boolean[]> {
  if (postings.length === 0) return [];
  const given = postings.map((posting) => ({ ...posting, moves: inLockOrder(posting.moves) }));
  const ids = await insertTransactions(db, given, clock);
  const fresh: { id: bigint; posting: Posting }[] = [];
  const known: Posting[] = [];
  const posted = given.map((posting) => {
    const id = ids.get(posting.reference);
    // If postings have the same reference, the first counts.
    ids.delete(posting.reference);
    if (id === undefined) known.push(posting);
    else fresh.push({ id, posting });
    return id !== undefined;
  });
  if (known.length > 0) await confirmSame(db, known);
  if (fresh.length > 0) await applyMoves(db, fresh);
  return posted;
}

/** Tenants' accounts first; the service's, which all tenants' postings share, last. */
const lockKey = ({ kind, tenantId }: Pick<Move, "kind" | "tenantId">): string =>
  `${tenantId === null ? 1 : 0} ${tenantId ?? ""} ${kind}`;

/** Every posting locks accounts in the same order, so that they do not deadlock. Zero changes are skipped. */
function inLockOrder(moves: readonly Move[]): readonly Move[] {
  return moves.filter(({ amount }) => amount !== 0n).toSorted((a, b) => (lockKey(a) < lockKey(b) ? -1 : 1));
}

/** Returns the new postings by reference. Chain events are numbered in their order on the chain. */
async function insertTransactions(
  db: Queryable,
  postings: readonly Posting[],
  clock: Clock,
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ id: bigint; reference: string }>`
    ${prepared("post-transactions")}
    insert into ledger_transaction (reference, kind, created_at, transaction_hash, log_index, block_number, from_address,
      trace_id)
    select reference, kind, ${clock.now().toString()}::timestamptz, transaction_hash, log_index, block_number, from_address,
      trace_id
    from unnest(
      ${postings.map(({ reference }) => reference)}::text[], ${postings.map(({ kind }) => kind)}::text[],
      ${postings.map(({ event }) => event?.transactionHash ?? null)}::text[],
      ${postings.map(({ event }) => event?.logIndex ?? null)}::int[],
      ${postings.map(({ event }) => event?.blockNumber.toString() ?? null)}::bigint[],
      ${postings.map(({ event }) => event?.from ?? null)}::text[],
      ${postings.map(({ traceId }) => traceId ?? currentTraceId() ?? null)}::text[]
    ) as line (reference, kind, transaction_hash, log_index, block_number, from_address, trace_id)
    order by block_number, log_index, reference
    on conflict (reference) do nothing
    returning id, reference`.execute(db);
  return new Map(rows.map(({ id, reference }) => [reference, id]));
}

interface AccountChange {
  account: Account;
  amount: Micro;
  /** The outgoing amount, whatever comes in as well. */
  taken: Micro;
}

/** By account, in locking order. */
function sumChanges(fresh: readonly { posting: Posting }[]): ReadonlyMap<string, AccountChange> {
  const changes = new Map<string, AccountChange>();
  for (const { posting } of fresh) {
    const { environment, token } = posting;
    for (const move of posting.moves) {
      const account = { environment, token, move };
      const id = accountId(account);
      const { amount, taken } = changes.get(id) ?? { amount: 0n, taken: 0n };
      const more = move.amount < 0n ? -move.amount : 0n;
      changes.set(id, { account, amount: amount + move.amount, taken: taken + more });
    }
  }
  const key = ({ account: { move, token } }: AccountChange) => `${lockKey(move)} ${token}`;
  return new Map([...changes].toSorted(([, a], [, b]) => (key(a) < key(b) ? -1 : 1)));
}

async function applyMoves(db: Queryable, fresh: readonly { id: bigint; posting: Posting }[]): Promise<void> {
  const changes = sumChanges(fresh);
  if (changes.size === 0) return;
  await ensureAccounts(db, changes);
  const entries = fresh.flatMap(({ id, posting: { environment, token, moves } }) =>
    moves.map((move) => ({ id: id.toString(), account: accountId({ environment, token, move }), amount: move.amount })),
  );
  const { rows } = await sql<{ id: string }>`
    ${prepared("move-money")}
    with change as (
      select * from unnest(
        ${[...changes.keys()]}::text[], ${[...changes.values()].map(({ amount }) => amount.toString())}::bigint[]
      ) with ordinality as change (id, amount, ord)
    ),
    locked as materialized (
      select account.id from change join ledger_account as account on account.id = change.id
      order by change.ord for update of account
    ),
    changed as (
      update ledger_account as account set balance_micro = account.balance_micro + change.amount
      from change join locked on locked.id = change.id
      where account.id = change.id and (account.kind = 'external' or account.balance_micro + change.amount >= 0)
      returning account.id
    ),
    entered as (
      insert into ledger_entry (transaction_id, account_id, amount_micro)
      select * from unnest(
        ${entries.map(({ id }) => id)}::bigint[], ${entries.map(({ account }) => account)}::text[],
        ${entries.map(({ amount }) => amount.toString())}::bigint[])
    )
    select id from changed`.execute(db);
  const changed = new Set(rows.map(({ id }) => id));
  for (const [id, { account, taken }] of changes) {
    if (changed.has(id)) continue;
    const { environment, token, move } = account;
    if (move.kind === "prefunded" && move.tenantId !== null) {
      throw await insufficient(db, { environment, token, tenantId: move.tenantId }, taken);
    }
    const references = fresh.map(({ posting }) => posting.reference).join(", ");
    throw new Error(`ledger: ${references} takes more from ${id} than it holds`);
  }
}

async function confirmSame(db: Queryable, postings: readonly Posting[]): Promise<void> {
  const rows = await db
    .selectFrom("ledgerTransaction")
    .leftJoin("ledgerEntry", "ledgerEntry.transactionId", "ledgerTransaction.id")
    .select(["reference", "kind", "accountId", "amountMicro"])
    .where("reference", "=", sql<string>`any (${postings.map(({ reference }) => reference)}::text[])`)
    .execute();
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  for (const { environment, token, reference, kind, moves } of postings) {
    const found = byReference.get(reference) ?? [];
    const stored = found.filter((row) => row.accountId !== null);
    const same =
      found.every((row) => row.kind === kind) &&
      stored.length === moves.length &&
      moves.every((move) =>
        stored.some(
          (row) =>
            row.amountMicro === move.amount &&
            possibleAccounts({ environment, token, kind, move }).includes(row.accountId ?? ""),
        ),
      );
    if (!same) throw new Error(`ledger: ${reference} was posted before and differently`);
  }
}

/**
 * The accounts in which an earlier posting may have this amount. Reading a movement again after the chain's escrow was
 * exchanged sees the former escrow as a stranger. The ledger keeps it as the escrow's: the exchange has adjusted that account
 * to the new escrow's balance.
 */
function possibleAccounts({ kind, environment, token, move }: Account & Pick<Posting, "kind">): readonly string[] {
  const own = accountId({ environment, token, move });
  if (kind !== "movement" || move.kind !== "external") return [own];
  return [own, accountId({ environment, token, move: { kind: "escrow", tenantId: null } })];
}

function accountId({ environment, token, move }: Account): string {
  const name = `${environment}:${token}:${move.kind}`;
  return move.tenantId === null ? name : `${name}:${move.tenantId}`;
}

export function purseAccount({ environment, token, tenantId }: Purse, kind: LedgerAccountTable["kind"]): string {
  return accountId({ environment, token, move: { kind, tenantId } });
}

/** Existing accounts are only read: inserting would wait for everyone who is changing them. */
async function ensureAccounts(db: Queryable, changes: ReadonlyMap<string, AccountChange>): Promise<void> {
  const accounts = [...changes.values()].map(({ account }) => account);
  await sql`
    ${prepared("ensure-accounts")}
    insert into ledger_account (id, network, token, tenant_id, kind)
    select id, network, token, tenant_id, kind from unnest(
      ${[...changes.keys()]}::text[], ${accounts.map(({ environment }) => environment)}::text[],
      ${accounts.map(({ token }) => token)}::text[], ${accounts.map(({ move }) => move.tenantId)}::text[],
      ${accounts.map(({ move }) => move.kind)}::text[]
    ) with ordinality as line (id, network, token, tenant_id, kind, ord)
    where not exists (select from ledger_account where ledger_account.id = line.id)
    order by ord
    on conflict (id) do nothing`.execute(db);
}

async function insufficient(db: Queryable, purse: Purse, required: Micro): Promise<Failure> {
  const { available } = await readBalance(db, purse);
  return lacksBalance(purse.token, available, required);
}

/** The error for a request above the available balance. */
export function lacksBalance(token: TokenSymbol, available: Micro, required: Micro): Failure {
  const missing = required - available;
  const unit = token === "USDC" ? "Usdc" : "Eurc";
  return new Failure("insufficient_balance", {
    detail: `The treasury lacks ${formatDecimal(missing)} ${token}. Add at least that and call again.`,
    extra: {
      [`required${unit}`]: formatDecimal(required),
      [`available${unit}`]: formatDecimal(available),
      [`missing${unit}`]: formatDecimal(missing),
    },
  });
}

export async function readBalance(db: Queryable, purse: Purse): Promise<Balance> {
  const ids = (["prefunded", "held", "outgoing"] as const).map((kind) => purseAccount(purse, kind));
  const rows = await db.selectFrom("ledgerAccount").select(["id", "balanceMicro"]).where("id", "in", ids).execute();
  const [available, held, outgoing] = ids.map((id) => rows.find((row) => row.id === id)?.balanceMicro ?? 0n);
  return { available: available ?? 0n, held: held ?? 0n, outgoing: outgoing ?? 0n };
}
