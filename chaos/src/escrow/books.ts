import { z } from "zod";
import type { Deployment } from "../deployment.ts";

/** Our records of trips and bookings, read past the service. */

const Amount = z.string().transform(BigInt);
const Hex = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]+$/)]);

const Trip = z.object({
  trip_id: Hex,
  tenant_id: z.string(),
  state: z.string(),
  budget: Amount,
  free: Amount,
  held: Amount,
  promised: Amount,
  vendor_paid: Amount,
  markup_paid: Amount,
  service_fee_paid: Amount,
  action_fee_paid: Amount,
  refunded: Amount,
  guest_wallet: Hex.nullable(),
  is_pending: z.boolean(),
});
const Booking = z.object({
  booking_id: Hex,
  trip_id: Hex,
  tenant_id: z.string(),
  state: z.string(),
  reserved: Amount,
  vendor: Hex.nullable(),
  vendor_amount: Amount,
  markup: Amount,
  service_fee: Amount,
  vendor_paid: Amount,
  fee_paid: Amount,
  refunded: Amount,
  is_pending: z.boolean(),
});
const Action = z.object({ action_id: Hex, trip_id: Hex, fee: Amount });
const Purse = z.object({ tenant_id: z.string(), balance: Amount });
const Total = z.object({ balance: Amount });
const Contracts = z.object({ contracts: z.object({ escrow: Hex }) });

export interface EscrowBooks {
  trips: z.infer<typeof Trip>[];
  bookings: z.infer<typeof Booking>[];
  actions: z.infer<typeof Action>[];
  /** All USDC of tenants, held, outgoing or free. */
  purses: z.infer<typeof Purse>[];
  /** The escrow's own account. */
  escrow: bigint;
  collection: bigint;
}

const TRIPS = `select trip_id, tenant_id, state, budget_micro::text as budget, free_micro::text as free, held_micro::text as held,
    promised_micro::text as promised, vendor_paid_micro::text as vendor_paid, markup_paid_micro::text as markup_paid,
    service_fee_paid_micro::text as service_fee_paid, action_fee_paid_micro::text as action_fee_paid,
    refunded_micro::text as refunded, guest_wallet, pending is not null as is_pending
  from trip order by created_at, trip_id`;
const BOOKINGS = `select booking_id, trip_id, tenant_id, state, reserved_micro::text as reserved, vendor,
    vendor_amount_micro::text as vendor_amount, markup_micro::text as markup, service_fee_micro::text as service_fee,
    vendor_paid_micro::text as vendor_paid, fee_paid_micro::text as fee_paid, refunded_micro::text as refunded,
    pending is not null as is_pending
  from escrow_booking order by created_at, booking_id`;
const ACTIONS = "select action_id, trip_id, fee_micro::text as fee from agent_action order by at, action_id";
const PURSES = `select tenant_id, sum(balance_micro)::text as balance from ledger_account
  where tenant_id is not null and token = 'USDC' group by tenant_id`;
const ACCOUNTS = (kinds: string): string =>
  `select coalesce(sum(balance_micro), 0)::text as balance from ledger_account where token = 'USDC' and kind in (${kinds})`;

export async function readEscrowBooks(deployment: Pick<Deployment, "query">): Promise<EscrowBooks> {
  const read = async <Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> =>
    z.array(schema).parse(await deployment.query(text));
  const total = async (kinds: string) => (await read(Total, ACCOUNTS(kinds)))[0]?.balance ?? 0n;
  return {
    trips: await read(Trip, TRIPS),
    bookings: await read(Booking, BOOKINGS),
    actions: await read(Action, ACTIONS),
    purses: await read(Purse, PURSES),
    escrow: await total("'escrow'"),
    collection: await total("'collection', 'collection_outgoing'"),
  };
}

export async function readEscrowAddress(deployment: Pick<Deployment, "query">): Promise<`0x${string}`> {
  const [row] = await deployment.query("select contracts from chain_network where network = 'sandbox'");
  return Contracts.parse(row).contracts.escrow;
}

/** Trips and bookings with a step under way. */
export async function readOpenSteps(deployment: Pick<Deployment, "query">): Promise<string[]> {
  const { trips, bookings } = await readEscrowBooks(deployment);
  return [
    ...trips
      .filter(({ state, promised, is_pending }) => state === "funding" || promised > 0n || is_pending)
      .map(({ trip_id, state }) => `trip ${trip_id} (${state})`),
    ...bookings
      .filter(({ is_pending }) => is_pending)
      .map(({ booking_id, state }) => `booking ${booking_id} (${state})`),
  ];
}
