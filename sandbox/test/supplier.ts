// The wire shapes that the tests expect, and their common steps.
import { z } from "zod";
import type { Answer, RunningSandbox } from "./start.ts";

const Money = z.string().regex(/^\d+\.\d{2}$/u);
const Airport = z.looseObject({ id: z.string(), iata_code: z.string().length(3), time_zone: z.string() });
const Segment = z.looseObject({
  id: z.string().startsWith("seg_0000"),
  departing_at: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/u),
  arriving_at: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/u),
  origin: Airport,
  destination: Airport,
  duration: z.string().startsWith("P"),
  marketing_carrier: z.looseObject({ iata_code: z.string().length(2) }),
  marketing_carrier_flight_number: z.string().regex(/^\d{1,4}$/u),
  stops: z.array(z.looseObject({ id: z.string().startsWith("sto_") })),
  passengers: z.array(
    z.looseObject({
      cabin_class: z.string(),
      baggages: z.array(z.looseObject({ type: z.string(), quantity: z.number() })),
    }),
  ),
});
const Terms = z.looseObject({ allowed: z.boolean(), penalty_amount: Money.nullable() });

export const Offer = z.looseObject({
  id: z.string().startsWith("off_0000"),
  live_mode: z.literal(false),
  expires_at: z.iso.datetime(),
  owner: z.looseObject({ iata_code: z.string().length(2) }),
  total_amount: Money,
  total_currency: z.literal("USD"),
  base_amount: Money,
  tax_amount: Money,
  conditions: z.looseObject({ refund_before_departure: Terms, change_before_departure: Terms }),
  payment_requirements: z.looseObject({
    requires_instant_payment: z.boolean(),
    payment_required_by: z.iso.datetime().nullable(),
  }),
  private_fares: z.array(z.looseObject({ type: z.string() })),
  available_airline_credit_ids: z.array(z.string()),
  passengers: z.array(
    z.looseObject({
      id: z.string().startsWith("pas_0000"),
      type: z.string().nullable(),
      fare_type: z.string().nullable(),
      loyalty_programme_accounts: z.array(z.looseObject({ account_number: z.string() })),
    }),
  ),
  slices: z
    .array(
      z.looseObject({
        id: z.string().startsWith("sli_0000"),
        fare_brand_name: z.string(),
        segments: z.array(Segment).min(1),
      }),
    )
    .min(1),
});
export type Offer = z.infer<typeof Offer>;

export const OfferRequest = z.looseObject({
  id: z.string().startsWith("orq_0000"),
  live_mode: z.literal(false),
  offers: z.array(Offer),
});

export const Order = z.looseObject({
  id: z.string().startsWith("ord_0000"),
  offer_id: z.string(),
  live_mode: z.literal(false),
  type: z.enum(["instant", "hold"]),
  booking_reference: z.string().regex(/^ZZ[A-Z0-9]{4}$/u),
  total_amount: Money,
  cancelled_at: z.string().nullable(),
  documents: z.array(
    z.looseObject({
      type: z.literal("electronic_ticket"),
      unique_identifier: z.string().regex(/^000-\d{10}$/u),
      passenger_ids: z.array(z.string()),
    }),
  ),
  payment_status: z.looseObject({
    awaiting_payment: z.boolean(),
    payment_required_by: z.string().nullable(),
    paid_at: z.string().nullable(),
  }),
  passengers: z.array(z.looseObject({ id: z.string(), given_name: z.string() })),
  slices: z.array(z.looseObject({ id: z.string() })),
  metadata: z.record(z.string(), z.string()),
});
export type Order = z.infer<typeof Order>;

export const Payment = z.looseObject({
  id: z.string().startsWith("pay_0000"),
  order_id: z.string(),
  type: z.string(),
  amount: Money,
  status: z.string(),
});
export const Cancellation = z.looseObject({
  id: z.string().startsWith("ore_0000"),
  refund_amount: Money,
  refund_to: z.string(),
  confirmed_at: z.string().nullable(),
  airline_credits: z.array(z.looseObject({ id: z.string(), credit_amount: Money })),
});
export const Credit = z.looseObject({
  id: z.string().startsWith("acd_0000"),
  amount: Money,
  spent_at: z.string().nullable(),
  invalidated_at: z.string().nullable(),
});
export const CustomerUser = z.looseObject({
  id: z.string().startsWith("icu_0000"),
  email: z.string(),
  given_name: z.string(),
});

const Errors = z.object({
  meta: z.object({ status: z.number(), request_id: z.string() }),
  errors: z
    .array(
      z.object({
        type: z.string(),
        code: z.string(),
        title: z.string(),
        message: z.string(),
        documentation_url: z.url(),
        source: z.object({ field: z.string(), pointer: z.string() }).optional(),
      }),
    )
    .min(1),
});

export const Ledger = z.object({
  now: z.string(),
  orders: z.array(
    z.looseObject({
      id: z.string(),
      offer_id: z.string(),
      state: z.string(),
      total_amount: Money,
      metadata: z.record(z.string(), z.string()),
    }),
  ),
  payments: z.array(
    z.looseObject({ id: z.string(), order_id: z.string(), type: z.string(), amount: Money, status: z.string() }),
  ),
  cancellations: z.array(z.looseObject({ id: z.string(), refund_amount: Money })),
  refunds: z.array(z.looseObject({ reference: z.string(), amount: Money })),
  balanceEntries: z.array(z.looseObject({ kind: z.string(), amount: z.string() })),
  balance: z.object({ amount: Money, currency: z.literal("USD") }),
});

export function parseData<Shape extends z.ZodType>(answer: Answer, shape: Shape, status = 200): z.output<Shape> {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return shape.parse(z.object({ data: z.unknown() }).parse(answer.body).data);
}

/** The first error of a failed call, its whole body checked for the supplier's form. */
export function parseError(answer: Answer): {
  status: number;
  type: string;
  code: string;
  pointer: string | undefined;
} {
  const body = Errors.parse(answer.body);
  const [first] = body.errors;
  if (body.meta.request_id !== answer.headers.get("x-request-id"))
    throw new Error("the request id is not that of the header");
  if (body.meta.status !== answer.status || first === undefined)
    throw new Error("the error's meta contradicts its status");
  return { status: answer.status, type: first.type, code: first.code, pointer: first.source?.pointer };
}

/** One day for a whole file, also when midnight passes while it runs. */
const TODAY = Temporal.Now.plainDateISO("UTC");

export function daysAhead(days: number): string {
  return TODAY.add({ days }).toString();
}

export type Search = {
  origin: string;
  destination: string;
  days?: number;
  returnDays?: number;
  passengers?: unknown[];
  [field: string]: unknown;
};

export async function search(sandbox: RunningSandbox, query: Search): Promise<z.infer<typeof OfferRequest>> {
  const { origin, destination, days = 60, returnDays, passengers = [{ type: "adult" }], ...rest } = query;
  const slices = [{ origin, destination, departure_date: daysAhead(days) }];
  if (returnDays !== undefined)
    slices.push({ origin: destination, destination: origin, departure_date: daysAhead(returnDays) });
  const answer = await sandbox.call("POST", "/air/offer_requests?return_offers=true", { slices, passengers, ...rest });
  return parseData(answer, OfferRequest, 201);
}

export function traveler(id: string, changes: Record<string, unknown> = {}) {
  return {
    id,
    title: "ms",
    gender: "f",
    given_name: "Amelia",
    family_name: "Earhart",
    born_on: "1987-07-24",
    email: "amelia@example.com",
    phone_number: "+442080160509",
    ...changes,
  };
}

/** The offers of a believable route; `holdable` picks one that may be held. */
export async function pickOffer(
  sandbox: RunningSandbox,
  accept: (offer: Offer) => boolean = () => true,
  query?: Partial<Search>,
): Promise<Offer> {
  const found = await search(sandbox, { origin: "LHR", destination: "JFK", ...query });
  const offer = found.offers.find(
    (candidate) => !candidate.payment_requirements.requires_instant_payment && accept(candidate),
  );
  if (offer === undefined) throw new Error("no offer of the search fits");
  return offer;
}

export function orderBody(offer: Offer, changes: Record<string, unknown> = {}) {
  return {
    type: "hold",
    selected_offers: [offer.id],
    passengers: offer.passengers.map((passenger) => traveler(passenger.id)),
    ...changes,
  };
}

export function instantBody(offer: Offer, changes: Record<string, unknown> = {}) {
  const payments = [{ type: "balance", amount: offer.total_amount, currency: offer.total_currency }];
  return orderBody(offer, { type: "instant", payments, ...changes });
}

export async function hold(
  sandbox: RunningSandbox,
  offer: Offer,
  changes: Record<string, unknown> = {},
): Promise<Order> {
  return parseData(await sandbox.call("POST", "/air/orders", orderBody(offer, changes)), Order, 201);
}

export async function pay(sandbox: RunningSandbox, order: Order): Promise<z.infer<typeof Payment>> {
  const payment = { type: "balance", amount: order.total_amount, currency: "USD" };
  return parseData(await sandbox.call("POST", "/air/payments", { order_id: order.id, payment }), Payment, 201);
}

export async function getOrder(sandbox: RunningSandbox, id: string): Promise<Order> {
  return parseData(await sandbox.call("GET", `/air/orders/${id}`), Order);
}

export async function ledger(sandbox: RunningSandbox): Promise<z.infer<typeof Ledger>> {
  return Ledger.parse((await sandbox.control("GET", "/_sandbox/ledger")).body);
}

export async function tick(sandbox: RunningSandbox, advanceSeconds: number): Promise<void> {
  const answer = await sandbox.control("POST", "/_sandbox/tick", { advanceSeconds });
  if (answer.status !== 200) throw new Error(`tick answered ${answer.status}`);
}

export async function arm(sandbox: RunningSandbox, scenario: Record<string, unknown>): Promise<void> {
  const answer = await sandbox.control("POST", "/_sandbox/scenarios", scenario);
  if (answer.status !== 201) throw new Error(`arming answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export function cents(amount: string): bigint {
  return BigInt(amount.replace(".", ""));
}

/** Opening sum and every entry add up to the balance, and every payment and refund has its entry. */
export function checkLedgerAddsUp(books: z.infer<typeof Ledger>): void {
  const sum = books.balanceEntries.reduce((total, entry) => total + cents(entry.amount), 0n);
  if (sum !== cents(books.balance.amount))
    throw new Error(`the entries sum to ${sum}, the balance is ${books.balance.amount}`);
  const paid = books.payments
    .filter((payment) => payment.type !== "airline_credit")
    .reduce((total, payment) => total + cents(payment.amount), 0n);
  const refunded = books.refunds.reduce((total, entry) => total + cents(entry.amount), 0n);
  const opening = books.balanceEntries
    .filter((entry) => entry.kind === "opening")
    .reduce((total, entry) => total + cents(entry.amount), 0n);
  if (opening - paid + refunded !== sum) throw new Error("payments and refunds do not explain the balance");
}
