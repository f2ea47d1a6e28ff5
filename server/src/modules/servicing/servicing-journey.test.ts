import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { micro } from "../../../test/support/servicing-service.ts";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";
import { formatDecimal } from "../../domain/money.ts";

/**
 * A traveler's whole journey over dispatch and MCP: a flight from its seat to the credit that pays for the next one, and a
 * stay.
 */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world.close());

const LONG = 300_000;

const Found = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      totalAmount: z.string(),
      owner: z.object({ iataCode: z.string() }),
      slices: z.array(z.object({ segments: z.array(z.object({ id: z.string() })) })),
    }),
  ),
});
const Priced = { id: z.string(), totalAmount: z.string() };
const Ancillaries = z.object({
  bags: z.array(z.object({ ...Priced, segmentIds: z.array(z.string()) })),
  seats: z.array(z.object({ ...Priced, segmentId: z.string(), designator: z.string() })),
});
const Booked = z.object({
  orderId: z.string(),
  totalAmount: z.string(),
  chargedUsdc: z.string(),
  services: z.array(z.object({ kind: z.string(), totalAmount: z.string(), segmentIds: z.array(z.string()) })),
  slices: z.array(
    z.object({
      id: z.string(),
      origin: z.string(),
      destination: z.string(),
      segments: z.array(z.object({ id: z.string(), origin: z.string() })),
    }),
  ),
  creditApplied: z.object({ airlineCreditId: z.string(), amount: z.string() }).nullable(),
});
const Times = z.array(z.object({ departingAt: z.string(), arrivingAt: z.string() }));
const Read = z.object({
  services: z.array(z.object({ kind: z.string(), maximumWeightKilograms: z.number().nullable() })),
  flight: z.object({
    slices: z.array(z.object({ segments: z.array(z.object({ id: z.string(), passengers: z.array(z.unknown()) })) })),
    passengers: z.array(z.object({ id: z.string(), familyName: z.string() })),
  }),
  scheduleChanges: z.array(z.object({ removed: Times, added: Times })),
});
const ChangeOffers = z.object({
  offers: z.array(z.object({ id: z.string(), changeTotalAmount: z.string() })),
  servicesLost: z.array(z.object({ kind: z.string(), totalAmount: z.string() })),
});
const Selected = z.object({ changeId: z.string(), due: z.object({ amount: z.string(), currency: z.string() }) });
const Changed = z.object({
  chargedUsdc: z.string(),
  chargeTxHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  newTotalAmount: z.string(),
});
const Quote = z.looseObject({ cancellationId: z.string(), refundTo: z.string(), refundAmount: z.string().nullable() });
const Cancelled = z.object({
  status: z.literal("cancelled"),
  refundedUsdc: z.string(),
  credits: z.array(z.object({ id: z.string(), amount: z.string() })),
});
const Credits = z.object({
  credits: z.array(z.object({ id: z.string(), airlineIataCode: z.string(), usable: z.boolean(), amount: z.string() })),
});
const Hotels = z.object({ accommodations: z.array(z.object({ cheapestRate: z.object({ id: z.string() }) })) });
const StayQuote = z.object({ id: z.string(), totalAmount: z.string() });
const Stay = z.object({ orderId: z.string(), chargedUsdc: z.string(), status: z.literal("confirmed") });

type Ask = (tool: string, args: Record<string, unknown>) => Promise<unknown>;
const McpAnswer = z.object({ result: z.object({ structuredContent: z.unknown(), isError: z.boolean().optional() }) });

const surfaces: [string, number, Ask][] = [
  ["dispatch", 60, (tool, args) => world.result(tool, args)],
  [
    "MCP",
    90,
    async (name, args) => {
      const answer = await sendMcp(world.service, "tools/call", { name, arguments: args });
      const { result } = McpAnswer.parse(answer.body);
      expect(result.isError ?? false, answer.text).toBe(false);
      return result.structuredContent;
    },
  ],
];

it.each(surfaces)(
  "over %s",
  async (_surface, daysAhead, ask) => {
    const today = Temporal.Now.plainDateISO("UTC");
    const dateIn = (days: number): string => today.add({ days }).toString();
    const spent: bigint[] = [];

    // A cheap fare with paid seats and a bag.
    async function search(destination: string, days: number) {
      const journey = { origin: "FRA", destination, departureDate: dateIn(days), cabinClass: "economy" };
      return Found.parse(await ask("search_flights", journey)).offers;
    }
    async function withPaidSeat() {
      for (const offer of await search("MUC", daysAhead)) {
        const { bags, seats } = Ancillaries.parse(
          await ask("list_flight_ancillaries", { offerId: offer.id, maxSeats: 3 }),
        );
        const [bag, seat] = [bags[0], seats.find(({ totalAmount }) => micro(totalAmount) > 0n)];
        if (bag !== undefined && seat !== undefined) return { offer, bag, seat };
      }
      throw new Error("no offer has a bag and a seat that costs something");
    }
    const { offer, bag, seat } = await withPaidSeat();
    const segments = offer.slices.flatMap((slice) => slice.segments.map(({ id }) => id));
    expect(segments).toContain(seat.segmentId);
    expect(segments).toEqual(expect.arrayContaining(bag.segmentIds));
    const services = [{ id: bag.id, quantity: 1 }, { id: seat.id }];
    const booked = Booked.parse(await ask("book_flight", { offerId: offer.id, services }));
    const total = micro(offer.totalAmount) + micro(bag.totalAmount) + micro(seat.totalAmount);
    expect(booked).toMatchObject({ totalAmount: formatDecimal(total), chargedUsdc: formatDecimal(total) });
    expect(booked.services.map(({ kind }) => kind).toSorted()).toEqual(["bag", "seat"]);
    // The answer names the leg of each bag, since an order's segments have other ids than its offer's.
    const legs = booked.slices.flatMap((slice) => slice.segments);
    for (const service of booked.services) {
      expect(service.segmentIds.length).toBeGreaterThan(0);
      for (const id of service.segmentIds) expect(legs.find((leg) => leg.id === id)?.origin).toBe("FRA");
    }
    spent.push(total);

    // The airline moves the flight, so that even this fare may be changed, to a more expensive flight.
    await world.issueTickets(booked.orderId);
    await moveSchedule(booked.orderId);
    // Details kept for readers of the order: a bag's weight, seats, services, the old and the new times.
    const read = Read.parse(await ask("read_order", { orderId: booked.orderId }));
    expect(read.services.find(({ kind }) => kind === "bag")?.maximumWeightKilograms).toBeGreaterThan(0);
    const [seated] = read.flight.slices.flatMap((one) => one.segments);
    expect(seated?.passengers).toEqual([
      expect.objectContaining({ passengerId: read.flight.passengers[0]?.id, seat: seat.designator }),
    ]);
    expect(read.flight.passengers[0]?.familyName).not.toBe("");
    const [moved] = read.scheduleChanges;
    const times = [moved?.removed[0]?.departingAt ?? "", moved?.added[0]?.departingAt ?? ""] as const;
    const [was, becomes] = times.map((time) => Temporal.PlainDateTime.from(time));
    expect(was && becomes && was.until(becomes).total("minutes")).toBe(95);
    const [slice] = booked.slices;
    if (slice === undefined) throw new Error("the order has no slices");
    const { origin, destination, id: slice_id } = slice;
    /** Soon, when seats cost more. */
    async function dearerFlight() {
      const seen: string[] = [];
      for (let days = 2; days < 20; days += 1) {
        const slices = { add: [{ origin, destination, departure_date: dateIn(days) }], remove: [{ slice_id }] };
        const asked = await ask("request_order_change", { orderId: booked.orderId, slices });
        const { offers, servicesLost } = ChangeOffers.parse(asked);
        const cost = ({ kind, totalAmount }: { kind: string; totalAmount: string }) => `${kind} ${totalAmount}`;
        expect(servicesLost.map(cost).toSorted()).toEqual(booked.services.map(cost).toSorted());
        const dearest = offers.at(-1);
        seen.push(dearest?.changeTotalAmount ?? "none");
        if (dearest !== undefined && !/^-|^0\.00$/.test(dearest.changeTotalAmount)) return dearest;
      }
      throw new Error(`no other flight costs more: ${seen.join(", ")}`);
    }
    const dearest = await dearerFlight();
    const selected = Selected.parse(await ask("select_order_change_offer", { offerId: dearest.id }));
    expect(selected.due.amount).toBe(dearest.changeTotalAmount);
    const payment = { type: "arc", ...selected.due };
    const changed = Changed.parse(await ask("confirm_order_change", { changeId: selected.changeId, payment }));
    expect(micro(changed.chargedUsdc)).toBeGreaterThan(0n);
    expect(changed.chargedUsdc).toBe(selected.due.amount);
    spent.push(micro(changed.chargedUsdc));

    // The airline moves that flight too, and the order is cancelled: this airline gives credit, not money.
    await moveSchedule(booked.orderId);
    await world.arm("/air/order_cancellations", "refund_as_credit");
    const quote = Quote.parse(await ask("cancel_order_quote", { orderId: booked.orderId }));
    expect(quote.refundTo).toBe("airline_credits");
    const cancelled = Cancelled.parse(await ask("confirm_cancel_order", { cancellationId: quote.cancellationId }));
    const [credit] = cancelled.credits;
    if (credit === undefined) throw new Error("the cancellation gave no credit");
    expect(cancelled.refundedUsdc).toBe("0.00");
    expect(micro(credit.amount)).toBeGreaterThan(0n);
    const { credits } = Credits.parse(await ask("list_airline_credits", { limit: 50 }));
    const airlineIataCode = offer.owner.iataCode;
    expect(credits).toContainEqual({ id: credit.id, airlineIataCode, usable: true, amount: credit.amount });

    // The credit pays part of the next booking with that airline.
    const next = (await search("JFK", daysAhead + 5)).find(({ owner }) => owner.iataCode === airlineIataCode);
    const rebooked = Booked.parse(await ask("book_flight", { offerId: next?.id, airlineCreditId: credit.id }));
    const rest = micro(rebooked.totalAmount) - micro(credit.amount);
    expect(rest).toBeGreaterThan(0n);
    expect(rebooked).toMatchObject({
      creditApplied: { airlineCreditId: credit.id, amount: credit.amount },
      chargedUsdc: formatDecimal(rest),
    });
    spent.push(rest);

    // A stay: searched, quoted, booked and cancelled.
    const night = { checkInDate: dateIn(daysAhead), checkOutDate: dateIn(daysAhead + 2) };
    const [hotel] = Hotels.parse(await ask("search_hotels", { location: "Lisbon", ...night })).accommodations;
    const stayQuote = StayQuote.parse(await ask("quote_stay", { rateId: hotel?.cheapestRate.id }));
    const stay = Stay.parse(
      await ask("book_stay", {
        quoteId: stayQuote.id,
        email: "amelia@example.com",
        phoneNumber: "+442080160508",
        guests: [{ givenName: "Amelia", familyName: "Hart" }],
      }),
    );
    expect(stay.chargedUsdc).toBe(stayQuote.totalAmount);
    const stayCancellation = Quote.parse(await ask("cancel_order_quote", { orderId: stay.orderId }));
    const { cancellationId } = stayCancellation;
    const ended = Cancelled.parse(await ask("confirm_cancel_order", { cancellationId }));
    expect(ended.refundedUsdc).toBe(stayCancellation.refundAmount);
    spent.push(micro(stay.chargedUsdc) - micro(ended.refundedUsdc));

    // The supplier's ledger and ours agree to the micro-unit.
    const ledger = await world.ledger();
    const states = [booked.orderId, rebooked.orderId].map(
      (id) => ledger.orders.find((order) => order.id === id)?.state,
    );
    expect(states).toEqual(["cancelled", "paid"]);
    expect(await world.confirmedChanges(booked.orderId)).toHaveLength(1);
    expect(await world.confirmedCancellations(booked.orderId)).toMatchObject([
      { refund_amount: "0.00", credit_refund_amount: credit.amount },
    ]);
    expect(await world.stayBookings(stayQuote.id)).toMatchObject([{ status: "cancelled" }]);
    const before = paidBefore;
    paidBefore = await world.paidToSupplier();
    expect(paidBefore - before).toBe(spent.reduce((sum, amount) => sum + amount, 0n));
    await world.expectSameBooks();
  },
  LONG,
);

async function moveSchedule(orderId: string): Promise<void> {
  const response = await fetch(`${world.service.supplierUrl}/_sandbox/schedule_changes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ order_id: orderId, slice: 0, shift_minutes: 95 }),
  });
  expect(response.ok).toBe(true);
}

let paidBefore = 0n;
