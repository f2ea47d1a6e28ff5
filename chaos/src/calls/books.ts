import { z } from "zod";
import { type Micro, parseDecimal } from "../../../server/src/domain/money.ts";
import type { Deployment } from "../deployment.ts";

/** Both sides' books as they are: our tables, read past the service, and what the supplier says it did. */

const Amount = z.string().transform(BigInt);
const SupplierAmount = z.string().transform((text, context): Micro => {
  const amount = parseDecimal(text);
  if (amount !== undefined) return amount;
  context.addIssue({ code: "custom", message: "is not an amount" });
  return z.NEVER;
});

const UsageRecord = z.object({
  id: z.string(),
  call_id: z.string().nullable(),
  /** Null: paid without a key. */
  tenant_id: z.string().nullable(),
  subject: z.string(),
  /** Through which it was asked for; on `paid` a payment paid, and nothing was spent of what the tenant may spend. */
  surface: z.string(),
  tool: z.string(),
  idempotency_key: z.string().nullable(),
  price: Amount,
});
const Spend = z.object({ tenant_id: z.string(), period: z.string(), spent: Amount });
const Booking = z.object({
  id: z.string(),
  tenant_id: z.string(),
  offer_id: z.string(),
  state: z.string(),
  total_amount: SupplierAmount,
  order_id: z.string().nullable(),
  pnr: z.string().nullable(),
});
const Account = z.object({ id: z.string(), kind: z.string(), token: z.string(), balance: Amount, entries: Amount });
const Transaction = z.object({ reference: z.string(), kind: z.string(), sum: Amount });
const Deposits = z.object({ sum: Amount });
const Open = z.object({ matter: z.string(), count: Amount });

const Supplier = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      offer_id: z.string(),
      booking_reference: z.string(),
      state: z.string(),
      total_amount: SupplierAmount,
      paid_amount: SupplierAmount,
      metadata: z.record(z.string(), z.string()),
    }),
  ),
  payments: z.array(z.object({ id: z.string(), order_id: z.string(), amount: SupplierAmount, status: z.string() })),
  refunds: z.array(z.object({ reference: z.string(), amount: SupplierAmount })),
});

const USAGE = `select id, call_id, tenant_id, subject, surface, tool, idempotency_key, price_micro::text as price
  from usage_record`;
const SPEND = `select tenant_id, period, spent_micro::text as spent from tenant_spend`;
const BOOKINGS = `select id, tenant_id, offer_id, state, total_amount, order_id, pnr
  from booking order by id`;
const ACCOUNTS = `select account.id, account.kind, account.token, account.balance_micro::text as balance,
    coalesce(sum(entry.amount_micro), 0)::text as entries
  from ledger_account account left join ledger_entry entry on entry.account_id = account.id group by account.id`;
const TRANSACTIONS = `select transaction.reference, transaction.kind, coalesce(sum(entry.amount_micro), 0)::text as sum
  from ledger_transaction transaction left join ledger_entry entry on entry.transaction_id = transaction.id
  group by transaction.id`;
const DEPOSITS = `select coalesce(sum(entry.amount_micro), 0)::text as sum from ledger_entry entry
  join ledger_transaction transaction on transaction.id = entry.transaction_id
  join ledger_account account on account.id = entry.account_id
  where transaction.kind = 'movement' and account.kind = 'prefunded' and account.token = 'USDC'`;
const OPEN = `
  select 'reserved calls' as matter, count(*)::text as count from call where state = 'reserved'
  union all select 'running idempotency keys', count(*)::text from idempotency where state = 'running'
  union all select 'reserved spendings', count(*)::text from call_spend where state = 'reserved'
  union all select 'open bookings', count(*)::text from booking where state not in ('booked', 'failed', 'on_hold')
  union all select 'open chain transactions', count(*)::text from chain_transaction where state in ('queued', 'signed')`;

export interface Books {
  usage: z.infer<typeof UsageRecord>[];
  spends: z.infer<typeof Spend>[];
  bookings: z.infer<typeof Booking>[];
  accounts: z.infer<typeof Account>[];
  transactions: z.infer<typeof Transaction>[];
  /** USDC that came into treasuries from outside. */
  deposited: Micro;
  open: { matter: string; count: bigint }[];
  supplier: z.infer<typeof Supplier>;
}

export async function readBooks(deployment: Deployment, supplierUrl: string): Promise<Books> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  const [deposits] = await read(Deposits, DEPOSITS);
  return {
    usage: await read(UsageRecord, USAGE),
    spends: await read(Spend, SPEND),
    bookings: await read(Booking, BOOKINGS),
    accounts: await read(Account, ACCOUNTS),
    transactions: await read(Transaction, TRANSACTIONS),
    deposited: deposits?.sum ?? 0n,
    open: await read(Open, OPEN),
    supplier: await readSupplier(supplierUrl),
  };
}

export async function readOpenMatters(deployment: Deployment): Promise<string[]> {
  const rows = z.array(Open).parse(await deployment.query(OPEN));
  return rows.filter(({ count }) => count > 0n).map(({ matter, count }) => `${count} ${matter}`);
}

export async function readUsage(deployment: Deployment): Promise<Books["usage"]> {
  return z.array(UsageRecord).parse(await deployment.query(USAGE));
}

async function readSupplier(supplierUrl: string): Promise<Books["supplier"]> {
  const response = await fetch(`${supplierUrl}/_sandbox/ledger`, { signal: AbortSignal.timeout(60_000) });
  return Supplier.parse(await response.json());
}
