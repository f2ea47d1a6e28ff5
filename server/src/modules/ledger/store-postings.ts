import { type RawBuilder, sql } from "kysely";
import { findChainById } from "../../domain/chains/named-chains.ts";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { LedgerAccountTable, LedgerTransactionTable } from "../../platform/database/generated-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Balance, GatewayBalance, Purse } from "./ledger.ts";

const ARC_DOMAIN = 26;

export interface Move {
  kind: LedgerAccountTable["kind"];
  /** Null: the service's own account. */
  tenantId: string | null;
  amount: Micro;
}

export interface Posting extends ChainKey {
  token: TokenSymbol;
  reference: string;
  kind: LedgerTransactionTable["kind"];
  moves: readonly Move[];
  /** The trace of its call; default: the current one. */
  traceId?: string | null | undefined;
  /** The chain event that it records. */
  event?: { transactionHash: Hex; logIndex: number; blockNumber: bigint; from: Hex };
}

type Account = Pick<Posting, "environment" | "chain" | "token"> & Pick<Move, "kind" | "tenantId">;

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
  if (known.length > 0) fresh.push(...(await adoptLate(db, known, clock)));
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

/** Tells accounts apart within a statement; the database finds an account by its columns. */
const buildKey = ({ environment, chain, token, kind, tenantId }: Account): string =>
  `${lockKey({ kind, tenantId })} ${token} ${environment} ${chain}`;

/** By account, in locking order. */
function sumChanges(fresh: readonly { posting: Posting }[]): ReadonlyMap<string, AccountChange> {
  const changes = new Map<string, AccountChange>();
  for (const { posting } of fresh) {
    for (const move of posting.moves) {
      const account = toAccount(posting, move);
      const key = buildKey(account);
      const { amount, taken } = changes.get(key) ?? { amount: 0n, taken: 0n };
      const more = move.amount < 0n ? -move.amount : 0n;
      changes.set(key, { account, amount: amount + move.amount, taken: taken + more });
    }
  }
  return new Map([...changes].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const toAccount = ({ environment, chain, token }: Posting, { kind, tenantId }: Move): Account => ({
  environment,
  chain,
  token,
  kind,
  tenantId,
});

async function applyMoves(db: Queryable, fresh: readonly { id: bigint; posting: Posting }[]): Promise<void> {
  const changes = sumChanges(fresh);
  if (changes.size === 0) return;
  const accounts = [...changes.values()].map(({ account }) => account);
  const keys = [...changes.keys()];
  const entries = fresh.flatMap(({ id, posting }) =>
    posting.moves.map((move) => ({
      id: id.toString(),
      ord: keys.indexOf(buildKey(toAccount(posting, move))) + 1,
      amount: move.amount.toString(),
    })),
  );
  const moving = sql<{ ord: string | null }>`
    ${prepared("move-money")}
    with change as (
      select * from unnest(
        ${accounts.map(({ environment }) => environment)}::text[], ${accounts.map(({ chain }) => chain)}::text[],
        ${accounts.map(({ token }) => token)}::text[], ${accounts.map(({ kind }) => kind)}::text[],
        ${accounts.map(({ tenantId }) => tenantId)}::text[],
        ${[...changes.values()].map(({ amount }) => amount.toString())}::bigint[]
      ) with ordinality as change (network, chain, token, kind, tenant_id, amount, ord)
    ),
    lacking as materialized (
      select from change where not exists (select from ledger_account as account where ${isSameAccount("change")})
    ),
    locked as materialized (
      select account.id, change.amount, change.ord from change join ledger_account as account on ${isSameAccount("change")}
      where not exists (select from lacking)
      order by change.ord for update of account
    ),
    changed as (
      update ledger_account as account set balance_micro = account.balance_micro + locked.amount
      from locked
      where account.id = locked.id and (account.kind = 'external' or account.balance_micro + locked.amount >= 0)
      returning locked.ord
    ),
    entered as (
      insert into ledger_entry (transaction_id, account_id, amount_micro)
      select entry.transaction_id, locked.id, entry.amount
      from unnest(
        ${entries.map(({ id }) => id)}::bigint[], ${entries.map(({ ord }) => ord)}::bigint[],
        ${entries.map(({ amount }) => amount)}::bigint[]
      ) as entry (transaction_id, ord, amount) join locked on locked.ord = entry.ord
    )
    select ord::text from changed union all select null from lacking`;
  let { rows } = await moving.execute(db);
  // The first movement of an account: nothing was locked or moved yet.
  if (rows.some(({ ord }) => ord === null)) {
    await ensureAccounts(db, accounts);
    ({ rows } = await moving.execute(db));
  }
  const changed = new Set(rows.map(({ ord }) => Number(ord)));
  for (const [index, { account, taken }] of [...changes.values()].entries()) {
    if (changed.has(index + 1)) continue;
    const { tenantId } = account;
    if (account.kind === "prefunded" && tenantId !== null)
      throw await insufficient(db, { ...account, tenantId }, taken);
    const references = fresh.map(({ posting }) => posting.reference).join(", ");
    throw new Error(`ledger: ${references} takes more from ${buildKey(account)} than it holds`);
  }
}

/**
 * Throws if one was posted differently, unless a tenant's escrow took part that was not known as its own yet: whoever posts a movement
 * has looked for owners before, and an operator may have allowed the escrow meanwhile. The amount is then moved into its account, or out
 * of it, by a posting of its own. Returns those that are new.
 */
async function adoptLate(
  db: Queryable,
  known: readonly Posting[],
  clock: Clock,
): Promise<{ id: bigint; posting: Posting }[]> {
  const late = await findOthers(db, known);
  if (late.length === 0) return [];
  const [other] = await findOthers(db, late.map(asBetweenStrangers));
  if (other !== undefined) throw new Error(`ledger: ${other.reference} was posted before and differently`);
  const adoptions = late.map((posting): Posting => {
    const moves = posting.moves.filter(isOfFurtherEscrow);
    const back = moves.map(({ amount }) => ({ kind: "external" as const, tenantId: null, amount: -amount }));
    return { ...posting, reference: `adopt:${posting.reference}`, moves: inLockOrder([...moves, ...back]) };
  });
  const ids = await insertTransactions(db, adoptions, clock);
  return adoptions.flatMap((posting) => {
    const id = ids.get(posting.reference);
    return id === undefined ? [] : [{ id, posting }];
  });
}

const isOfFurtherEscrow = ({ kind, tenantId }: Move): boolean => kind === "escrow" && tenantId !== null;

/** As it was posted when nobody knew the tenant's escrow. */
function asBetweenStrangers(posting: Posting): Posting {
  if (posting.kind !== "movement") return posting;
  const moves = posting.moves.map((move) =>
    isOfFurtherEscrow(move) ? { ...move, kind: "external" as const, tenantId: null } : move,
  );
  return { ...posting, moves };
}

/** Those that were not posted, or differently. */
export async function findOthers(db: Queryable, postings: readonly Posting[]): Promise<readonly Posting[]> {
  const rows = await db
    .selectFrom("ledgerTransaction")
    .leftJoin("ledgerEntry", "ledgerEntry.transactionId", "ledgerTransaction.id")
    .leftJoin("ledgerAccount", "ledgerAccount.id", "ledgerEntry.accountId")
    .select(["reference", "ledgerTransaction.kind as postingKind", "amountMicro"])
    .select(["environment", "chain", "token", "tenantId", "ledgerAccount.kind"])
    .where("reference", "=", sql<string>`any (${postings.map(({ reference }) => reference)}::text[])`)
    .execute();
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  return postings.filter((posting) => {
    const found = byReference.get(posting.reference) ?? [];
    const stored = found.filter((row) => row.amountMicro !== null);
    const same =
      found.length > 0 &&
      found.every((row) => row.postingKind === posting.kind) &&
      stored.length === posting.moves.length &&
      posting.moves.every((move) =>
        stored.some(
          (row) =>
            row.amountMicro === move.amount &&
            row.environment === posting.environment &&
            row.chain === posting.chain &&
            row.token === posting.token &&
            row.tenantId === move.tenantId &&
            possibleKinds(posting, move).includes(row.kind),
        ),
      );
    return !same;
  });
}

/**
 * The accounts in which an earlier posting may have this amount. Reading a movement again after the chain's escrow was
 * exchanged sees the former escrow as a stranger. The ledger keeps it as the escrow's: the exchange has adjusted that account
 * to the new escrow's balance.
 */
function possibleKinds(posting: Posting, move: Move): readonly (Move["kind"] | null)[] {
  return posting.kind === "movement" && move.kind === "external" ? [move.kind, "escrow"] : [move.kind];
}

/** Whether `account` is the one that a line names by its columns; in the words of the unique index. */
function isSameAccount(line: string): RawBuilder<boolean> {
  const at = (column: string) => sql.ref(`${line}.${column}`);
  return sql<boolean>`account.network = ${at("network")} and account.chain = ${at("chain")} and account.token = ${at("token")}
    and account.kind = ${at("kind")} and coalesce(account.tenant_id, '') = coalesce(${at("tenant_id")}, '')`;
}

/** Whether a row of `ledger_account` is this account of a purse. */
export function isAccount({ environment, chain, token, tenantId }: Purse, kind: Move["kind"]): RawBuilder<boolean> {
  return sql<boolean>`ledger_account.network = ${environment} and ledger_account.chain = ${chain}
    and ledger_account.token = ${token} and ledger_account.kind = ${kind}
    and coalesce(ledger_account.tenant_id, '') = ${tenantId}`;
}

/**
 * Existing accounts are only read: inserting would wait for everyone who is changing them. The conflict names no index, as
 * a concurrent first use may be found by the account's id before its other columns.
 */
async function ensureAccounts(db: Queryable, accounts: readonly Account[]): Promise<void> {
  await sql`
    ${prepared("ensure-accounts")}
    insert into ledger_account (id, network, chain, token, tenant_id, kind)
    select concat_ws(':', network, chain, token, kind, tenant_id), network, chain, token, tenant_id, kind
    from unnest(
      ${accounts.map(({ environment }) => environment)}::text[], ${accounts.map(({ chain }) => chain)}::text[],
      ${accounts.map(({ token }) => token)}::text[], ${accounts.map(({ tenantId }) => tenantId)}::text[],
      ${accounts.map(({ kind }) => kind)}::text[]
    ) with ordinality as line (network, chain, token, tenant_id, kind, ord)
    where not exists (select from ledger_account as account where ${isSameAccount("line")})
    order by ord
    on conflict do nothing`.execute(db);
}

async function insufficient(db: Queryable, purse: Purse, required: Micro): Promise<Failure> {
  const { available } = await readBalance(db, purse);
  return lacksBalance(purse, available, required);
}

/** At the beginning of a sentence. */
function nameWallet(chain: string): string {
  const known = findChainById(Number(chain.slice(chain.indexOf(":") + 1)));
  return known === undefined || known.domain === ARC_DOMAIN ? "The treasury" : `Your wallet on ${known.name}`;
}

/** The error for a request above the available balance. `who`: at the beginning of a sentence; default: the wallet on the chain. */
export function lacksBalance(
  { token, chain }: Pick<Purse, "token" | "chain">,
  available: Micro,
  required: Micro,
  who = nameWallet(chain),
): Failure {
  const missing = required - available;
  const unit = token === "USDC" ? "Usdc" : "Eurc";
  return new Failure("insufficient_balance", {
    detail: `${who} lacks ${formatDecimal(missing)} ${token}. Add at least that and call again.`,
    extra: {
      [`required${unit}`]: formatDecimal(required),
      [`available${unit}`]: formatDecimal(available),
      [`missing${unit}`]: formatDecimal(missing),
    },
  });
}

export async function readAccount(db: Queryable, purse: Purse, kind: Move["kind"]): Promise<Micro> {
  const row = await db
    .selectFrom("ledgerAccount")
    .select("balanceMicro")
    .where(isAccount(purse, kind))
    .executeTakeFirst();
  return row?.balanceMicro ?? 0n;
}

export async function readBalance(db: Queryable, { environment, chain, token, tenantId }: Purse): Promise<Balance> {
  const rows = await db
    .selectFrom("ledgerAccount")
    .select(["kind", "balanceMicro"])
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("token", "=", token)
    .where("kind", "in", ["prefunded", "held", "outgoing"])
    .where(sql`coalesce(tenant_id, '')`, "=", tenantId)
    .execute();
  const findBalance = (kind: Move["kind"]): Micro => rows.find((row) => row.kind === kind)?.balanceMicro ?? 0n;
  return { available: findBalance("prefunded"), held: findBalance("held"), outgoing: findBalance("outgoing") };
}

const GATEWAY_ACCOUNTS = {
  gateway: "available",
  gateway_reserved: "reserved",
  gateway_withdrawing: "withdrawing",
} as const satisfies Partial<Record<Move["kind"], keyof GatewayBalance>>;

const isInGateway = (kind: Move["kind"]): kind is keyof typeof GATEWAY_ACCOUNTS =>
  Object.hasOwn(GATEWAY_ACCOUNTS, kind);

export async function readGateway(
  db: Queryable,
  { environment, tenantId }: Pick<Purse, "environment" | "tenantId">,
): Promise<ReadonlyMap<string, GatewayBalance>> {
  const rows = await db
    .selectFrom("ledgerAccount")
    .select(["chain", "kind", "balanceMicro"])
    .where("environment", "=", environment)
    .where("token", "=", "USDC")
    .where("kind", "in", ["gateway", "gateway_reserved", "gateway_withdrawing"])
    .where(sql`coalesce(tenant_id, '')`, "=", tenantId)
    .execute();
  const found = new Map<string, GatewayBalance>();
  for (const { chain, kind, balanceMicro } of rows) {
    const balance = found.get(chain) ?? { available: 0n, reserved: 0n, withdrawing: 0n };
    if (isInGateway(kind)) balance[GATEWAY_ACCOUNTS[kind]] = balanceMicro;
    found.set(chain, balance);
  }
  return found;
}
