import { z } from "zod";
import { type Hex, tokenSymbols } from "../../../server/src/domain/tokens.ts";
import type { Deployment } from "../deployment.ts";

/** Our tables as they are, read past the service. */

const Amount = z.string().transform(BigInt);
const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]);
const Token = z.enum(tokenSymbols);

const Wallet = z.object({ address: Address, kind: z.string(), tenant_id: z.string().nullable() });
const Order = z.object({
  id: z.string(),
  idempotency_key: z.string(),
  call_id: z.string().nullable(),
  purpose: z.string(),
  state: z.string(),
  hash: Address.nullable(),
  earlier_hashes: z.array(Address),
  chain_order: z.object({
    kind: z.string(),
    token: Token,
    from: Address.optional(),
    to: Address.optional(),
    supplier: Address.optional(),
    amount: Amount.optional(),
    gross: Amount.optional(),
  }),
  created_at: z.date(),
  updated_at: z.date(),
});
const Custody = z.object({ address: Address, token: Token, amount: Amount });
const Posting = z.object({ hash: Address, log_index: z.int() });
const Chain = z.object({
  network: z.string(),
  indexed: Amount,
  indexed_hash: z.string(),
  stopped_because: z.string().nullable(),
});
const PaidCall = z.object({ call_id: z.string().nullable(), tool: z.string() });
const Booking = z.object({ id: z.string(), state: z.string(), amount: Amount, call_id: z.string() });

export interface ChainBooks {
  wallets: z.infer<typeof Wallet>[];
  orders: z.infer<typeof Order>[];
  /** The sum of each wallet's accounts; zero for a wallet without accounts. */
  custody: z.infer<typeof Custody>[];
  postings: z.infer<typeof Posting>[];
  chains: z.infer<typeof Chain>[];
  paidCalls: z.infer<typeof PaidCall>[];
  bookings: z.infer<typeof Booking>[];
}

const WALLETS = "select address, kind, tenant_id from wallet where kind in ('treasury', 'collection')";
const ORDERS = `select id, idempotency_key, call_id, purpose, state, hash, earlier_hashes, chain_order, created_at, updated_at
  from chain_transaction order by created_at, id`;
const CUSTODY = `select wallet.address, account.token, sum(account.balance_micro)::text as amount
  from wallet join ledger_account account on account.network = wallet.network
    and account.kind not in ('external', 'escrow', 'in_flight', 'transfer_fee') and account.kind not like 'gateway%'
    and account.tenant_id is not distinct from wallet.tenant_id
  where wallet.kind in ('treasury', 'collection') group by wallet.address, account.token`;
const POSTINGS = `select transaction_hash as hash, log_index from ledger_transaction where transaction_hash is not null`;
const CHAINS = `select network, indexed_number::text as indexed, indexed_hash, stopped_because from chain_network`;
const PAID_CALLS = "select call_id, tool from usage_record";
const BOOKINGS = `select id, state, amount_micro::text as amount, call_id from booking`;
const UNDER_WAY = "select state, hash from chain_transaction where state in ('queued', 'signed')";

const UnderWay = z.object({ state: z.string(), hash: Address.nullable() });

export async function readChainBooks(deployment: Pick<Deployment, "query">): Promise<ChainBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    wallets: await read(Wallet, WALLETS),
    orders: await readOrders(deployment),
    custody: await read(Custody, CUSTODY),
    postings: await read(Posting, POSTINGS),
    chains: await readChains(deployment),
    paidCalls: await read(PaidCall, PAID_CALLS),
    bookings: await read(Booking, BOOKINGS),
  };
}

export async function readOrders(deployment: Pick<Deployment, "query">): Promise<ChainBooks["orders"]> {
  return z.array(Order).parse(await deployment.query(ORDERS));
}

async function readChains(deployment: Pick<Deployment, "query">): Promise<ChainBooks["chains"]> {
  return z.array(Chain).parse(await deployment.query(CHAINS));
}

/** In words: what the chain has beyond the blocks that the service has read. */
export async function readUnreadBlocks(
  deployment: Pick<Deployment, "query">,
  tip: { number: bigint },
): Promise<string[]> {
  const unread = (await readChains(deployment)).filter(({ indexed }) => indexed !== tip.number);
  return unread.map(({ indexed }) => `blocks after ${indexed} that are not in the books`);
}

/** Orders that are stored and not at their end, with the hash of those that are signed. */
export async function readUnderWay(
  deployment: Pick<Deployment, "query">,
): Promise<{ state: string; hash: Hex | null }[]> {
  return z.array(UnderWay).parse(await deployment.query(UNDER_WAY));
}
