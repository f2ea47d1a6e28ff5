import { z } from "zod";
import { type Micro, parseDecimal } from "../../../server/src/domain/money.ts";
import type { Deployment } from "../deployment.ts";

/** Both sides' books of orders and of what became of them: our tables, read past the service, and the supplier's own ledger. */

const Amount = z.string().transform((text, context): Micro => {
  const amount = parseDecimal(text.replace(/^-/, ""));
  if (amount !== undefined) return text.startsWith("-") ? -amount : amount;
  context.addIssue({ code: "custom", message: "is not an amount" });
  return z.NEVER;
});
const Digits = z.string().transform(BigInt);
const Metadata = z.object({ booking_id: z.string().optional() });

const Booking = z.object({
  id: z.string(),
  tenant_id: z.string(),
  kind: z.enum(["flight", "stay", "flight_hold"]),
  offer_id: z.string(),
  state: z.string(),
  order_id: z.string().nullable(),
  order_status: z.string(),
  total: Amount,
  charged: Amount,
});
const Action = z.object({
  id: z.string(),
  tenant_id: z.string(),
  kind: z.enum(["flight_cancellation", "flight_change", "stay_cancellation"]),
  subject_id: z.string(),
  booking_id: z.string(),
  order_id: z.string(),
  state: z.string(),
  charged: Amount,
  refunded: Amount,
  /** Named in the result. */
  credits: z.array(z.object({ id: z.string(), amount: Amount })),
});
const Purse = z.object({ tenant_id: z.string(), balance: Digits });
const Open = z.object({ matter: z.string(), count: Digits });

const Confirmable = { id: z.string(), order_id: z.string(), confirmed_at: z.string().nullable() };
const Supplier = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      offer_id: z.string(),
      booking_reference: z.string(),
      state: z.string(),
      total_amount: Amount,
      metadata: Metadata,
    }),
  ),
  payments: z.array(
    z.object({
      id: z.string(),
      order_id: z.string(),
      type: z.string(),
      amount: Amount,
      airline_credit_id: z.string().nullable(),
      status: z.string(),
      pays_for: z.string(),
    }),
  ),
  cancellations: z.array(z.object({ ...Confirmable, refund_amount: Amount, credit_refund_amount: Amount })),
  changes: z.array(z.object({ ...Confirmable, payment_id: z.string().nullable(), refund_amount: Amount })),
  credits: z.array(z.object({ id: z.string(), order_id: z.string().nullable(), amount: Amount })),
  refunds: z.array(z.object({ amount: Amount })),
  stayBookings: z.array(
    z.object({
      id: z.string(),
      quote_id: z.string(),
      status: z.string(),
      total_amount: Amount,
      paid_amount: Amount,
      metadata: Metadata,
    }),
  ),
  stayCancellations: z.array(z.object({ booking_id: z.string(), refund_amount: Amount })),
});

const BOOKINGS = `select id, tenant_id, kind, offer_id, state, order_id, order_status,
    coalesce(order_total_amount, total_amount) as total, coalesce(result->>'chargedUsdc', '0') as charged
  from booking order by id`;
const ACTIONS = `select id, tenant_id, kind, subject_id, booking_id, order_id, state,
    coalesce(result->>'chargedUsdc', '0') as charged, coalesce(result->>'refundedUsdc', '0') as refunded,
    coalesce(result->'credits', '[]') as credits
  from servicing_action order by id`;
const PURSES = `select tenant_id, balance_micro::text as balance from ledger_account
  where kind = 'prefunded' and token = 'USDC' and tenant_id is not null`;
const COLLECTION = `select 'collection' as tenant_id, coalesce(sum(balance_micro), 0)::text as balance from ledger_account
  where kind = 'collection' and token = 'USDC'`;
const OPEN = `
  select 'open servicing actions' as matter, count(*)::text as count from servicing_action where state not in ('done', 'failed')
  union all select 'transactions on their way', count(*)::text from chain_transaction where state in ('queued', 'signed')`;
const UNDER_WAY = `
  select 'booking ' || state as place from booking where state not in ('booked', 'failed')
  union all select kind || ' ' || state from servicing_action where state not in ('done', 'failed')`;

export interface ServicingBooks {
  bookings: z.infer<typeof Booking>[];
  actions: z.infer<typeof Action>[];
  /** USDC of each tenant. */
  purses: z.infer<typeof Purse>[];
  /** The account from which the supplier is paid. */
  collection: Micro;
  supplier: z.infer<typeof Supplier>;
}

export type SupplierBooks = ServicingBooks["supplier"];

async function read<Row>(deployment: Pick<Deployment, "query">, schema: z.ZodType<Row>, text: string): Promise<Row[]> {
  return z.array(schema).parse(await deployment.query(text));
}

export async function readServicingBooks(deployment: Deployment, supplierUrl: string): Promise<ServicingBooks> {
  const [collection] = await read(deployment, Purse, COLLECTION);
  return {
    bookings: await readBookings(deployment),
    actions: await read(deployment, Action, ACTIONS),
    purses: await read(deployment, Purse, PURSES),
    collection: collection?.balance ?? 0n,
    supplier: await readSupplier(supplierUrl),
  };
}

export function readBookings(deployment: Deployment): Promise<ServicingBooks["bookings"]> {
  return read(deployment, Booking, BOOKINGS);
}

export async function readSupplier(supplierUrl: string): Promise<SupplierBooks> {
  const response = await fetch(`${supplierUrl}/_sandbox/ledger`, { signal: AbortSignal.timeout(60_000) });
  return Supplier.parse(await response.json());
}

export async function readOpenActions(deployment: Deployment): Promise<string[]> {
  const open = await read(deployment, Open, OPEN);
  return open.filter(({ count }) => count > 0n).map(({ matter, count }) => `${count} ${matter}`);
}

/** Where bookings and actions are that did not come to their end yet. */
export async function readUnderWay(deployment: Pick<Deployment, "query">): Promise<string[]> {
  return (await read(deployment, z.object({ place: z.string() }), UNDER_WAY)).map(({ place }) => place);
}
