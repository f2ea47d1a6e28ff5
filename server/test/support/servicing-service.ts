import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../src/domain/money.ts";
import { supplierAccess } from "../../src/embedded/supplier-part.ts";
import { hangUpUntil } from "./hang-up.ts";
import { type Answer, type CallOptions, startTestService } from "./service.ts";
import { openSharedService } from "./shared-service.ts";
import { requireResult } from "./treasury.ts";

const Offers = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      totalAmount: z.string(),
      owner: z.object({ iataCode: z.string() }),
      conditions: z.object({
        refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable(),
        changeBeforeDeparture: z.object({ allowed: z.boolean() }).nullable(),
      }),
    }),
  ),
});

const Entry = z.looseObject({ order_id: z.string(), confirmed_at: z.string().nullable() });
const Ledger = z.object({
  orders: z.array(
    z.looseObject({ id: z.string(), state: z.string(), ticketing: z.string().nullable(), total_amount: z.string() }),
  ),
  payments: z.array(z.looseObject({ order_id: z.string(), type: z.string(), amount: z.string() })),
  cancellations: z.array(Entry),
  changes: z.array(Entry),
  services: z.array(z.looseObject({ order_id: z.string(), amount: z.string() })),
  balanceEntries: z.array(z.object({ kind: z.string(), amount: z.string() })),
});

const Booked = z.object({
  orderId: z.string(),
  bookingId: z.string(),
  totalAmount: z.string(),
  slices: z.array(z.object({ id: z.string(), origin: z.string(), destination: z.string() })),
});

const Books = z.object({
  available: z.object({ USDC: z.string() }),
  held: z.object({ USDC: z.string() }),
  outgoing: z.object({ USDC: z.string() }),
});

const ChangeOffers = z.object({ offers: z.array(z.object({ id: z.string(), changeTotalAmount: z.string() })) });
const Selected = z.object({
  changeId: z.string(),
  changeTotalAmount: z.string(),
  due: z.object({ amount: z.string(), currency: z.string() }),
  voidWindowEnds: z.string().optional(),
});

const Requests = z.object({ requests: z.array(z.object({ method: z.string(), path: z.string() })) });

/** Longer than any machine stands still: what gets no answer is hung up, and the quiet time is ended by the test. */
const COMMIT_MILLISECONDS = 120_000;
const QUIET_MILLISECONDS = 600_000;

export const micro = (amount: string): bigint => {
  const value = parseDecimal(amount.replace(/^-/, ""));
  if (value === undefined) throw new Error(`${amount} is not an amount`);
  return amount.startsWith("-") ? -value : value;
};

/** To move the supplier's clock, and where an outcome stays unknown until the test ends the quiet time. */
const startPatientService = () =>
  startTestService({
    SANDBOX_COMMIT_TIMEOUT_MS: String(COMMIT_MILLISECONDS),
    SANDBOX_QUIET_MS: String(QUIET_MILLISECONDS),
  });

/** The ways of an order from its offer to its end, in a product of the caller's own or in the worker's. */
export async function openServicing(product: "own" | "shared") {
  const service = await (product === "own" ? startPatientService() : openSharedService());
  let daysAhead = 40;

  async function supplier(path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${service.supplierUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  /** A request past our adapter, to prepare what it has no method for. */
  async function post(path: string, data: unknown): Promise<unknown> {
    const response = await fetch(`${service.supplierUrl}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${supplierAccess(service.dataDir)?.token}`,
        "duffel-version": "v2",
      },
      body: JSON.stringify({ data }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }

  async function result(tool: string, args: unknown, options: CallOptions = {}) {
    const answer = await service.call(tool, args, options);
    if (answer.status !== 200) throw new Error(`${tool} answered ${answer.status}: ${answer.text}`);
    return requireResult(answer);
  }

  /** A new day for each, so that no test meets another one's seats. */
  async function search(route = { origin: "LHR", destination: "JFK" }) {
    daysAhead += 1;
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: daysAhead }).toString();
    return Offers.parse(await result("search_flights", { ...route, departureDate, cabinClass: "business" })).offers;
  }

  /** One whose fare can be changed and given back. */
  async function flexibleOffer(route?: { origin: string; destination: string }) {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const offer = (await search(route)).find(
        ({ conditions: { refundBeforeDeparture, changeBeforeDeparture } }) =>
          refundBeforeDeparture?.allowed === true && changeBeforeDeparture?.allowed === true,
      );
      if (offer !== undefined) return offer;
    }
    throw new Error("no offer can be changed and given back");
  }

  async function book(args: { offerId: string } & Record<string, unknown>) {
    return Booked.parse(await result("book_flight", args));
  }

  const advance = (advanceSeconds: number) => supplier("/_sandbox/tick", { advanceSeconds });
  /** By themselves, they come a moment after the payment. */
  async function issueTickets(orderId: string): Promise<void> {
    if (product === "own") await advance(2);
    const ticketing = async () => (await ledger()).orders.find(({ id }) => id === orderId)?.ticketing;
    await expect.poll(ticketing).toBe("ticketed");
  }

  /** With its tickets, without which an airline changes nothing. */
  async function bookFlexible(route?: { origin: string; destination: string }) {
    const booked = await book({ offerId: (await flexibleOffer(route)).id });
    await issueTickets(booked.orderId);
    return booked;
  }

  const addDays = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

  /** An airline credit of the caller, which ends after so many days. */
  async function giveCredit(airline_iata_code: string, amount: string, days?: number): Promise<string> {
    const { customerUserId: user_id } = await result("ensure_flight_customer", {});
    const type = { amount_currency: "USD", code: "1252106312810", type: "eticket" };
    const dates = { issued_on: "2026-01-01", expires_at: days === undefined ? "2030-01-01" : addDays(days) };
    const made = await post("/air/airline_credits", { airline_iata_code, amount, ...type, ...dates, user_id });
    return z.object({ data: z.object({ id: z.string() }) }).parse(made).data.id;
  }

  async function changeOffers(order: z.infer<typeof Booked>, cabin = "economy") {
    const [slice] = order.slices;
    if (slice === undefined) throw new Error("the order has no slices");
    daysAhead += 1;
    const departure_date = Temporal.Now.plainDateISO("UTC").add({ days: daysAhead }).toString();
    const add = [{ origin: slice.origin, destination: slice.destination, departure_date, cabin_class: cabin }];
    const slices = { add, remove: [{ slice_id: slice.id }] };
    return ChangeOffers.parse(await result("request_order_change", { orderId: order.orderId, slices })).offers;
  }

  /** A pending change that asks something; one that gives something back with `cheaper`. */
  async function selectChange(order: z.infer<typeof Booked>, wanted: "dearer" | "cheaper" = "dearer") {
    const offers = await changeOffers(order, wanted === "dearer" ? "business" : "economy");
    const offer = wanted === "dearer" ? offers.at(-1) : offers[0];
    if (offer === undefined || offer.changeTotalAmount.startsWith("-") !== (wanted === "cheaper")) {
      throw new Error(`no change of ${order.orderId} is ${wanted}`);
    }
    return Selected.parse(await result("select_order_change_offer", { offerId: offer.id }));
  }

  const readRequests = async (trace: string) =>
    Requests.parse(await supplier(`/_sandbox/requests?contains=${trace}`)).requests;
  const ledger = async () => Ledger.parse(await supplier("/_sandbox/ledger"));
  const books = async () => Books.parse(await result("check_treasury", {}));
  const opening = micro((await books()).available.USDC);
  const { length: entriesBefore } = (await ledger()).balanceEntries;
  /** Since the tests began. */
  async function paidToSupplier(): Promise<bigint> {
    return (await ledger()).balanceEntries
      .slice(entriesBefore)
      .filter(({ kind }) => kind === "payment" || kind === "refund")
      .reduce((sum, { amount }) => sum - micro(amount), 0n);
  }

  /** The supplier's receipts less its refunds equal the wallet's loss; nothing is held or outgoing. */
  async function expectSameBooks(): Promise<void> {
    const spent = await paidToSupplier();
    await expect.poll(books).toEqual({
      available: { USDC: formatDecimal(opening - spent) },
      held: { USDC: "0.00" },
      outgoing: { USDC: "0.00" },
    });
  }

  /** Calls again, as the answer told, until the outcome is known. */
  async function untilKnown(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await call();
      if (answer.body.retryable !== true || answer.body.code === "provider_timeout") return answer;
      await delay(100);
    }
  }

  /** Calls again while an earlier call is at work, which may take longer than a call waits for it. */
  async function untilEnded(call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await call();
      if (!String(answer.body.code).endsWith("_in_progress")) return answer;
    }
  }

  /** For everything whose outcome is open now; requests to the supplier must have arrived before. */
  async function endQuietTime(): Promise<void> {
    for (const table of ["booking", "servicing_action"]) {
      await service.sql(`update ${table} set quiet_until = now() - interval '1 second' where quiet_until > now()`);
    }
  }

  return {
    service,
    /** The sandbox's control endpoints. */
    supplier,
    /** A request past our adapter, as the operator has it. */
    post,
    giveCredit,
    advance,
    issueTickets,
    result,
    search,
    flexibleOffer,
    book,
    bookFlexible,
    changeOffers,
    selectChange,
    ledger,
    /** The supplier's requests that contain a text, such as a trace. */
    readRequests,
    books,
    paidToSupplier,
    expectSameBooks,
    untilKnown,
    untilEnded,
    /** A call with a request that gets no answer. */
    unanswered: (calling: Promise<Answer>) => hangUpUntil(service.supplierUrl, calling),
    endQuietTime,
    arm: (path: string, fault: string, delayMs = 0) =>
      supplier("/_sandbox/scenarios", { match: { path, method: "POST" }, fault, times: 1, delayMs }),
    disarm: async () => {
      await fetch(`${service.supplierUrl}/_sandbox/scenarios`, { method: "DELETE" });
    },
    confirmedCancellations: async (orderId: string) =>
      (await ledger()).cancellations.filter((one) => one.order_id === orderId && one.confirmed_at !== null),
    confirmedChanges: async (orderId: string) =>
      (await ledger()).changes.filter((one) => one.order_id === orderId && one.confirmed_at !== null),
    close: () => service[Symbol.asyncDispose](),
  };
}

export type Servicing = Awaited<ReturnType<typeof openServicing>>;
