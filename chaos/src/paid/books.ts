import { createPublicClient, http, parseAbiItem } from "viem";
import { z } from "zod";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import { lower } from "../chain/chain-view.ts";
import type { Deployment, Quickstart } from "../deployment.ts";

/** Our tables as they are, read past the service, and what the chain and the supplier have beside them. */

const Amount = z.string().transform(BigInt);
const Digits = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]);

const Payment = z.object({
  id: z.string(),
  payer: Digits,
  nonce: Digits,
  amount: Amount,
  tool: z.string(),
  state: z.enum(["claimed", "earned", "settled", "receivable"]),
  has_result: z.boolean(),
  call_id: z.string(),
  usage_id: z.string().nullable(),
  transaction_hash: Digits.nullable(),
});
const Usage = z.object({ id: z.string(), call_id: z.string().nullable(), tool: z.string(), price: Amount });
const Payer = z.object({ payer: Digits, open: Amount, receivables: z.int(), under_way: z.int(), settled: z.int() });
const Call = z.object({ id: z.string(), state: z.string() });
const Booking = z.object({ id: z.string(), offer_id: z.string(), state: z.string(), call_id: z.string() });
const Search = z.object({
  params: z.object({
    slices: z.array(z.object({ origin: z.string(), destination: z.string(), departureDate: z.string() })),
    passengers: z.array(z.unknown()),
  }),
});

const PAYMENTS = `select id, payer, nonce, amount_micro::text as amount, tool, state, result is not null as has_result, call_id, usage_id,
  transaction_hash from payment order by id`;
const USAGE = `select id, call_id, tool, price_micro::text as price from usage_record where surface = 'paid'`;
const PAYERS = "select payer, open_micro::text as open, receivables, under_way, settled from payment_payer";
const CALLS = "select id, state from call where surface = 'paid'";
const BOOKINGS = "select id, offer_id, state, call_id from booking";
const SEARCHES = "select params from offer_requests";
const OPEN = `
  select 'claimed payments' as matter, count(*)::text as count from payment where state = 'claimed'
  union all select 'payments to be fetched', count(*)::text from payment where state = 'earned'
  union all select 'reserved calls', count(*)::text from call where state = 'reserved'
  union all select 'open bookings', count(*)::text from booking where state not in ('booked', 'failed')
  union all select 'open chain transactions', count(*)::text from chain_transaction where state in ('queued', 'signed')`;
const Open = z.object({ matter: z.string(), count: Amount });

export interface PaidBooks {
  payments: z.infer<typeof Payment>[];
  usage: z.infer<typeof Usage>[];
  payers: z.infer<typeof Payer>[];
  calls: z.infer<typeof Call>[];
  bookings: z.infer<typeof Booking>[];
  /** The parameters of each search that the supplier received. */
  searches: z.infer<typeof Search>["params"][];
}

type Database = Pick<Deployment, "query" | "querySupplier">;

export async function readPaidBooks(deployment: Database): Promise<PaidBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  return {
    payments: await read(Payment, PAYMENTS),
    usage: await read(Usage, USAGE),
    payers: await read(Payer, PAYERS),
    calls: await read(Call, CALLS),
    bookings: await read(Booking, BOOKINGS),
    searches: await readSearches(deployment),
  };
}

export async function readSearches(deployment: Pick<Deployment, "querySupplier">): Promise<PaidBooks["searches"]> {
  const rows = z.array(Search).parse(await deployment.querySupplier(SEARCHES));
  return rows.map(({ params }) => params);
}

export async function readPaidUsage(deployment: Database): Promise<PaidBooks["usage"]> {
  return z.array(Usage).parse(await deployment.query(USAGE));
}

export async function readOpenPayments(deployment: Database): Promise<string[]> {
  const rows = z.array(Open).parse(await deployment.query(OPEN));
  return rows.filter(({ count }) => count > 0n).map(({ matter, count }) => `${count} ${matter}`);
}

/** States of payments that are not at their end, and whether a transaction fetches them. */
export async function readMoments(deployment: Database): Promise<{ state: string; fetched: string | null }[]> {
  const Moment = z.object({ state: z.string(), fetched: z.string().nullable() });
  const text = `select payment.state, chain_transaction.state as fetched from payment
    left join chain_transaction on chain_transaction.id = payment.chain_transaction_id
    where payment.state in ('claimed', 'earned')`;
  return z.array(Moment).parse(await deployment.query(text));
}

/** An authorization that was used, as the chain has it. */
export interface UsedAuthorization {
  payer: Hex;
  nonce: Hex;
  hash: Hex;
}

const USED = parseAbiItem("event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)");
const TIMEOUT_MILLISECONDS = 60_000;

export async function readUsed({ rpcUrl, usdc }: Quickstart["chain"]): Promise<UsedAuthorization[]> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: TIMEOUT_MILLISECONDS, retryCount: 0 }) });
  const logs = await client.getLogs({ address: lower(usdc), event: USED, fromBlock: 0n, strict: true });
  return logs.map(({ args, transactionHash }) => ({
    payer: lower(args.authorizer),
    nonce: lower(args.nonce),
    hash: transactionHash,
  }));
}
