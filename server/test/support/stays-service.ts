import { z } from "zod";
import type { CallOptions } from "./service.ts";
import { openServicing } from "./servicing-service.ts";

const Found = z.object({
  accommodations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      cheapestRate: z.object({ id: z.string(), totalAmount: z.string() }),
      rates: z.array(z.object({ id: z.string(), refundable: z.boolean() })),
    }),
  ),
});
const Quote = z.looseObject({
  id: z.string(),
  accommodation: z.object({ id: z.string(), name: z.string() }),
  guests: z.number(),
  totalAmount: z.string(),
  negotiatedRateId: z.string().nullable(),
});
const Ledger = z.object({
  stayBookings: z.array(
    z.object({
      id: z.string(),
      quote_id: z.string(),
      status: z.string(),
      reference: z.string(),
      paid_amount: z.string(),
      metadata: z.object({ booking_id: z.string() }),
    }),
  ),
});

const DAYS_AHEAD = 40;
const NIGHTS = 2;

/** The product with the supplier's sandbox, and the ways of a stay from its search to its booking. */
export async function openStays(product: "own" | "shared") {
  const world = await openServicing(product);
  const { service, result } = world;
  const today = Temporal.Now.plainDateISO("UTC");

  async function search(options: CallOptions = {}, query: Record<string, unknown> = {}) {
    const found = await result(
      "search_hotels",
      {
        location: "Lisbon",
        checkInDate: today.add({ days: DAYS_AHEAD }).toString(),
        checkOutDate: today.add({ days: DAYS_AHEAD + NIGHTS }).toString(),
        ...query,
      },
      options,
    );
    const { accommodations } = Found.parse(found);
    const [first] = accommodations;
    if (first === undefined) throw new Error("no hotel was found");
    return { first, accommodations };
  }

  /** Searches cost several requests each, and a rate can be quoted often. */
  const { first: hotel } = await search();
  const rateId = hotel.cheapestRate.id;

  async function quoted(rate = rateId, options: CallOptions = {}) {
    return Quote.parse(await result("quote_stay", { rateId: rate }, options));
  }

  const book = (quoteId: string, extra: Record<string, unknown> = {}, options: CallOptions = {}) =>
    service.call(
      "book_stay",
      {
        quoteId,
        email: "amelia@example.com",
        phoneNumber: "+442080160508",
        guests: [{ givenName: "Amelia", familyName: "Hart" }],
        ...extra,
      },
      options,
    );

  /** Bookings of a quote in the supplier's own books. */
  async function stayBookings(quoteId: string) {
    const response = await fetch(`${service.supplierUrl}/_sandbox/ledger`);
    const { stayBookings: all } = Ledger.parse(await response.json());
    return all.filter((one) => one.quote_id === quoteId);
  }

  async function scenarios(init: RequestInit): Promise<void> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${service.supplierUrl}/_sandbox/scenarios`, { headers, ...init });
    if (!response.ok) throw new Error(`scenarios answered ${response.status}: ${await response.text()}`);
  }
  const ALWAYS = 100;

  return {
    ...world,
    /** Until `disarm`: a read is asked for again when it failed. */
    armOften: (path: string, fault: string) =>
      scenarios({
        method: "POST",
        body: JSON.stringify({ match: { path, method: "POST" }, fault, times: ALWAYS, delayMs: 0 }),
      }),
    disarm: () => scenarios({ method: "DELETE" }),
    hotel,
    rateId,
    searchHotels: search,
    quoted,
    bookStay: book,
    stayBookings,
  };
}

export type StaysWorld = Awaited<ReturnType<typeof openStays>>;
