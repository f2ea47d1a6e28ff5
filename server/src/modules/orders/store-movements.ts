import { type RawBuilder, sql } from "kysely";
import { type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { LedgerAccountTable, LedgerTransactionTable } from "../../platform/database/generated-tables.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Environment } from "../../ports/identity.ts";
import { readBalancesAfter } from "./movements/store-balances.ts";
import { readTransfers } from "./movements/store-transfers.ts";
import type { OwnTransaction, PaidOrder, WalletMovement } from "./wallet-movements.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "orders.walletMovements": WalletMovements;
  }
}

/** The booking or the change in the key of a transaction, as an index has it. */
export const ABOUT = "substring(idempotency_key from '(?:bkg|act)_[0-9A-Z]{26}')";

/** Ids of postings increase with their times, but those that are stored at the same time may not. */
const STORED_TOGETHER = 10_000n;
const LAST_ID = 9_223_372_036_854_775_807n;

/**
 * Reads the ledger: incoming money is a chain event that reached `prefunded`; outgoing money is in `outgoing` from the moment
 * it was decided. References lead to the transaction that moves it and to its order.
 */
export function createWalletMovements(queryable: Queryable) {
  return {
    /** The order that the tenant's transaction with this key pays or refunds. */
    async findOrder(
      { tenantId, environment }: { tenantId: string; environment: Environment },
      idempotencyKey: string,
    ): Promise<PaidOrder | undefined> {
      const orders = await readOrders(queryable, tenantId, { environment }, [{ idempotencyKey }]);
      return orders.get(idempotencyKey);
    },

    balancesAfter: (tenantId: string, wallets: WalletsOnChains, movementId: string) =>
      readBalancesAfter(queryable, tenantId, wallets, movementId),

    /** Newest first, with ids below `before`. */
    async list(
      tenantId: string,
      wallets: WalletsOnChains,
      page: {
        limit: number;
        before?: string | undefined;
        /** From this time on (inclusive). */
        from?: Temporal.Instant | undefined;
        to?: Temporal.Instant | undefined;
        /** Movements for this order only, or for this trip. */
        orderId?: string | undefined;
        tripId?: string | undefined;
      },
    ): Promise<readonly WalletMovement[]> {
      const postings = await readPostings(queryable, tenantId, wallets, page);
      const transactions = await readTransactions(queryable, tenantId, wallets, postings);
      const orders = await readOrders(queryable, tenantId, wallets, transactions);
      const moved = postings.map((posting) => {
        const transaction = transactions.find((one) => isCarriedOutBy(one, posting));
        const transferId = posting.gatewayTransferId ?? OVER_CHAINS.exec(transaction?.idempotencyKey ?? "")?.[0];
        return { posting, transaction, transferId };
      });
      const ids = moved.flatMap(({ transferId }) => transferId ?? []);
      const transfers = await readTransfers(queryable, tenantId, wallets, ids);
      return moved.map(({ posting, transaction, transferId }) =>
        toMovement(posting, {
          transaction,
          order: transaction && orders.get(transaction.idempotencyKey),
          transfer: transfers.find(({ id }) => id === transferId),
        }),
      );
    },
  };
}

interface WalletsOnChains {
  environment: Environment;
  /** By CAIP-2. */
  chains: readonly string[];
}

type WalletMovements = ReturnType<typeof createWalletMovements>;
type Page = Parameters<WalletMovements["list"]>[2];

interface PostingRow {
  id: string;
  kind: LedgerTransactionTable["kind"];
  reference: string;
  chain: string;
  token: TokenSymbol;
  amount: string;
  createdAt: Temporal.Instant;
  transactionHash: LedgerTransactionTable["transactionHash"];
  fromAddress: LedgerTransactionTable["fromAddress"];
  sender: LedgerAccountTable["kind"] | null;
  isFromGateway: boolean | null;
  /** The money left the Gateway for another chain: not the wallet. */
  isOutOfGateway: boolean;
  gatewayTransferId: string | null;
}

/** A transfer over chains has several transactions, whose keys begin with its id. */
const OVER_CHAINS = /^xfr_[0-9A-Z]{26}(?=:)/;

async function readPostings(
  db: Queryable,
  tenantId: string,
  { environment, chains }: WalletsOnChains,
  { limit, before, from, to, orderId, tripId }: Page,
): Promise<readonly PostingRow[]> {
  const isAny = orderId === undefined && tripId === undefined;
  const about = isAny ? [] : await findAbout(db, tenantId, { environment, chains }, { orderId, tripId });
  const accounts = await readAccounts(db, tenantId, { environment, chains });
  if (accounts.length === 0) return [];
  const { first, last } = await readBounds(db, { from, to });
  // Both tables are told the ids, as each may be read from the newest on. A statement that names each account reads a rarely used one by its own index, instead of everybody's postings.
  const newest = accounts.map(
    ({ id, kind, chain, token, isGateway }) => sql`(
      select posting.id, posting.kind, posting.reference, posting.created_at, posting.transaction_hash, posting.from_address,
        ${chain}::text as chain, ${token}::text as token, ${isGateway}::boolean as is_gateway,
        ${isGateway ? sql`paid.amount` : sql`entry.amount_micro`} as amount
      from ledger_entry as entry join ledger_transaction as posting on posting.id = entry.transaction_id
        ${isGateway ? PAID_OUT : sql``}
      where entry.account_id = ${id} and ${isGateway ? sql`entry.amount_micro < 0` : sql`entry.amount_micro > 0`}
        and posting.kind = any (${[...(KINDS[kind] ?? ["movement"])]}::text[])
        ${before === undefined ? sql`` : sql`and entry.transaction_id < ${before}::bigint and posting.id < ${before}::bigint`}
        ${first === undefined ? sql`` : sql`and entry.transaction_id >= ${first}::bigint and posting.id >= ${first}::bigint`}
        ${last === undefined ? sql`` : sql`and entry.transaction_id <= ${last}::bigint and posting.id <= ${last}::bigint`}
        ${from === undefined && to === undefined ? sql`` : sql`and ${isWithin({ from, to })}`}
        ${isAny ? sql`` : sql`and entry.transaction_id = any (${about}::bigint[])`}
      order by entry.transaction_id desc limit ${limit})`,
  );
  const { rows } = await sql<PostingRow>`
    select entry.id::text as id, entry.kind, entry.reference, entry.chain, entry.token, entry.amount::text as amount,
      entry.created_at as "createdAt", entry.transaction_hash as "transactionHash", entry.from_address as "fromAddress",
      (select other.kind from ledger_entry as given join ledger_account as other on other.id = given.account_id
        where entry.kind in ('movement', 'adopt') and given.transaction_id = entry.id and given.amount_micro < 0 limit 1) as sender,
      (select bound.contracts->'crossChain'->'gateway'->>'wallet' = entry.from_address from chain_network as bound
        where bound.network = ${environment} and bound.chain = entry.chain) as "isFromGateway",
      entry.is_gateway as "isOutOfGateway",
      -- A burn and its transfer are stored by one transaction.
      (select intent.transfer_id from gateway_intent as intent join cross_chain_transfer as transfer on transfer.id = intent.transfer_id
        where entry.is_gateway and transfer.tenant_id = ${tenantId} and transfer.network = ${environment}
          and intent.chain = entry.chain and intent.burned_at >= entry.created_at
          and transfer.amount_micro + transfer.fee_micro = entry.amount
        order by intent.burned_at, intent.transfer_id limit 1) as "gatewayTransferId"
    from (
      select * from (${sql.join(newest, sql` union all `)}) as moved order by id desc limit ${limit}
    ) as entry
    order by entry.id desc`.execute(db);
  return rows;
}

/** The kinds of postings that are movements of an account; of the others, those that come from the chain. */
const KINDS: Readonly<Partial<Record<LedgerAccountTable["kind"], readonly LedgerTransactionTable["kind"][]>>> = {
  outgoing: ["send", "capture"],
  prefunded: ["movement", "adopt"],
};

/** Money that left the Gateway for another chain. */
const PAID_OUT = sql`cross join lateral (
  select given.amount_micro as amount from ledger_entry as given join ledger_account as other on other.id = given.account_id
  where given.transaction_id = posting.id and other.kind = 'external' and given.amount_micro > 0) as paid`;

async function readAccounts(db: Queryable, tenantId: string, { environment, chains }: WalletsOnChains) {
  const { rows } = await sql<Pick<LedgerAccountTable, "id" | "chain" | "token" | "kind"> & { isGateway: boolean }>`
    select id, chain, token, kind, kind in ('gateway', 'gateway_reserved') as "isGateway" from ledger_account
    where network = ${environment} and chain = any (${chains}::text[]) and token = any (${[...tokenSymbols]}::text[])
      and kind in ('outgoing', 'prefunded', 'gateway', 'gateway_reserved') and coalesce(tenant_id, '') = ${tenantId}`.execute(
    db,
  );
  return rows;
}

/** The ids of the postings of a period: their index finds the first of them at once. */
async function readBounds(db: Queryable, { from, to }: Pick<Page, "from" | "to">) {
  if (from === undefined && to === undefined) return { first: undefined, last: undefined };
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select
      (select id::text from ledger_transaction where created_at >= ${from?.toString() ?? "-infinity"}::timestamptz
        order by created_at limit 1) as first,
      (select id::text from ledger_transaction where created_at < ${to?.toString() ?? "infinity"}::timestamptz
        order by created_at desc limit 1) as last`.execute(db);
  const [{ first, last } = { first: null, last: null }] = rows;
  return {
    first: from === undefined ? undefined : (BigInt(first ?? LAST_ID) - STORED_TOGETHER).toString(),
    last: to === undefined ? undefined : (BigInt(last ?? 0) + STORED_TOGETHER).toString(),
  };
}

/** In a form that tells the planner nothing: to it, the ids have already said how few rows there are. */
const isWithin = ({ from, to }: Pick<Page, "from" | "to">) => sql`
  case when posting.created_at >= ${from?.toString() ?? "-infinity"}::timestamptz
    then posting.created_at < ${to?.toString() ?? "infinity"}::timestamptz else false end`;

/**
 * The postings of transactions that pay or refund this order, or belong to this trip: its budget, and the orders that it pays, whose
 * refunds and returns go to the wallet. Each condition matches an index.
 */
async function findAbout(
  db: Queryable,
  tenantId: string,
  { environment, chains }: WalletsOnChains,
  { orderId, tripId }: Pick<Page, "orderId" | "tripId">,
): Promise<readonly string[]> {
  const isOfTrip = sql`chain_order->>'tripId' is not null and chain_order->>'tripId' = ${tripId}`;
  // Idempotency keys contain the booking or the change that is paid.
  const about = sql.raw(ABOUT);
  const isOfOrder = sql`${about} is not null and ${about} in (
    select id from booking where network = ${environment} and order_id = ${orderId} and tenant_id = ${tenantId} union all
    select id from servicing_action where network = ${environment} and order_id = ${orderId} and tenant_id = ${tenantId})`;
  const isPaidByTrip = sql`${about} is not null and ${about} in (
    with paid as (
      select booking.id from escrow_booking as held join booking using (network, tenant_id)
      where network = ${environment} and tenant_id = ${tenantId} and held.trip_id = ${tripId}
        and (booking.escrow_booking_id = held.booking_id or booking.itinerary_hash = held.itinerary_hash))
    select id from paid union all
    select action.id from servicing_action as action join paid on paid.id = action.booking_id)`;
  const select = (isWanted: RawBuilder<unknown>) => sql`
    select id, regexp_replace(idempotency_key, '#\\d+$', '') as key, hash, block_number::text as block from chain_transaction
    where network = ${environment} and chain = any (${chains}::text[]) and tenant_id = ${tenantId}
      and ${isWanted} ${orderId === undefined ? sql`` : sql`and ${isOfOrder}`}`;
  const { rows: own } = await sql<{ id: string; key: string; hash: string | null; block: string | null }>`
    ${tripId === undefined ? select(sql`true`) : sql`${select(isOfTrip)} union ${select(isPaidByTrip)}`}`.execute(db);
  const references = own.flatMap(({ id, key }) => [`send:${id}`, key, key.replace(/^capture:/, "settle:")]);
  const [blocks, hashes] = [own.flatMap(({ block }) => block ?? []), own.flatMap(({ hash }) => hash ?? [])];
  const { rows } = await sql<{ id: string }>`
    select id::text as id from ledger_transaction where reference = any (${references}::text[]) union
    select id::text from ledger_transaction
    where block_number = any (${blocks}::bigint[]) and transaction_hash = any (${hashes}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** A withdrawal is matched by its id, a payment to the supplier by its idempotency key, and incoming money by its hash. */
const isCarriedOutBy = (
  { id, idempotencyKey, hash, chain }: OwnTransaction,
  { kind, reference, transactionHash, chain: postedOn }: PostingRow,
): boolean => {
  if (chain !== postedOn) return false;
  if (kind === "send") return reference === `send:${id}`;
  if (kind === "capture") return firstKey(idempotencyKey) === captureKey(reference);
  return transactionHash !== null && hash === transactionHash;
};

const captureKey = (reference: string) => reference.replace(/^settle:/, "capture:");
/** A resent transaction has a number appended to its key. */
const firstKey = (idempotencyKey: string) => idempotencyKey.replace(/#\d+$/, "");
const MOST_ATTEMPTS = 5;

/** Latest attempts first. */
async function readTransactions(
  db: Queryable,
  tenantId: string,
  { environment, chains }: WalletsOnChains,
  postings: readonly PostingRow[],
): Promise<readonly OwnTransaction[]> {
  const ids = postings.filter(({ kind }) => kind === "send").map(({ reference }) => reference.replace(/^send:/, ""));
  const keys = postings
    .filter(({ kind }) => kind === "capture")
    .map(({ reference }) => captureKey(reference))
    .flatMap((key) => [key, ...Array.from({ length: MOST_ATTEMPTS - 1 }, (_, index) => `${key}#${index + 2}`)]);
  const hashes = postings.flatMap(({ kind, transactionHash }) =>
    kind === "movement" && transactionHash !== null ? [transactionHash] : [],
  );
  const columns = sql`id, chain, purpose, state, hash, chain_order as operation, idempotency_key as "idempotencyKey", created_at,
    (select markup_micro::text from escrow_booking
      where tenant_id = ${tenantId} and network = ${environment} and chain_order->'action'->>'name' = 'settle'
        and booking_id = chain_order->'action'->>'bookingId') as "bookingFee"`;
  // Each condition matches an index.
  const { rows } = await sql<Omit<OwnTransaction, "bookingFee"> & { bookingFee: string | null }>`
    select ${columns} from chain_transaction
    where network = ${environment} and chain = any (${chains}::text[]) and tenant_id = ${tenantId} and id = any (${ids}::text[])
    union
    select ${columns} from chain_transaction
    where network = ${environment} and chain = any (${chains}::text[]) and tenant_id = ${tenantId} and idempotency_key = any (${keys}::text[])
    union
    select ${columns} from chain_transaction
    where network = ${environment} and chain = any (${chains}::text[]) and tenant_id = ${tenantId} and hash = any (${hashes}::text[])
    order by created_at desc`.execute(db);
  return rows.map((row) => ({
    ...row,
    hash: row.hash ?? undefined,
    bookingFee: row.bookingFee === null ? undefined : BigInt(row.bookingFee),
  }));
}

const BOOKING = /bkg_[0-9A-Z]{26}/;
const ACTION = /act_[0-9A-Z]{26}/;

/** Reads the orders by the transactions' idempotency keys, which contain the booking or the change. */
async function readOrders(
  db: Queryable,
  tenantId: string,
  { environment }: Pick<WalletsOnChains, "environment">,
  transactions: readonly Pick<OwnTransaction, "idempotencyKey">[],
): Promise<ReadonlyMap<string, PaidOrder>> {
  const named = transactions.map(({ idempotencyKey: key }) => ({
    key,
    id: BOOKING.exec(key)?.[0] ?? ACTION.exec(key)?.[0],
  }));
  const ids = named.flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (ids.length === 0) return new Map();
  const { rows } = await sql<OrderRow>`
    with named (id, booking_id, action) as (
      select id, id, null from booking
      where tenant_id = ${tenantId} and network = ${environment} and id = any (${ids}::text[])
      union all
      select id, booking_id, kind from servicing_action
      where tenant_id = ${tenantId} and network = ${environment} and id = any (${ids}::text[])
    )
    select named.id, named.action, booking.id as "bookingId", booking.order_id as "orderId", booking.kind,
      coalesce(booking.pnr, booking.result->>'reference') as reference,
      coalesce(booking.result->>'accommodationName', (
        select string_agg(concat(slice->>'origin', ' to ', slice->>'destination'), ', ')
        from jsonb_array_elements(booking.result->'slices') as slice
      )) as what
    from named join booking
      on booking.id = named.booking_id and booking.tenant_id = ${tenantId} and booking.network = ${environment}`.execute(
    db,
  );
  const found = new Map(rows.map(({ id, ...order }) => [id, withoutNulls(order)]));
  return new Map(
    named.flatMap(({ key, id }) => {
      const order = id === undefined ? undefined : found.get(id);
      return order === undefined ? [] : [[key, order] as const];
    }),
  );
}

interface OrderRow {
  id: string;
  action: NonNullable<PaidOrder["action"]> | null;
  bookingId: string;
  orderId: string | null;
  kind: PaidOrder["kind"];
  reference: string | null;
  what: string | null;
}

function toMovement(
  posting: PostingRow,
  { transaction, order, transfer }: Pick<WalletMovement, "transaction" | "order" | "transfer">,
): WalletMovement {
  const { id, kind, chain, token, amount, createdAt, transactionHash, fromAddress, sender } = posting;
  const { isFromGateway, isOutOfGateway } = posting;
  const isIn = !isOutOfGateway && (kind === "movement" || kind === "adopt");
  return {
    id,
    chain,
    token,
    transaction,
    order,
    transfer,
    pot: isOutOfGateway ? "gateway" : undefined,
    amount: BigInt(amount),
    direction: isIn ? "in" : "out",
    at: createdAt,
    sender: isFromGateway ? { account: "gateway" } : toSender(sender, fromAddress),
    hash: transactionHash ?? (transaction?.state === "queued" ? undefined : transaction?.hash),
  };
}

function toSender(account: PostingRow["sender"], address: PostingRow["fromAddress"]): WalletMovement["sender"] {
  if (account === "escrow") return { account };
  return account === "collection_outgoing" ? { account: "collection" } : { address: address ?? undefined };
}
