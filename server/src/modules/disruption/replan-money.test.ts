import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";

/** The figures that people act on: refunds, free options, and the travelers for whom prices apply. */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world?.close());

const Replanned = z.object({
  airlineChange: z.object({ options: z.array(z.object({ text: z.string() })) }).nullable(),
  alternatives: z.object({
    reason: z.string().nullable(),
    offers: z.array(
      z.object({
        totalAmount: z.string(),
        differenceAmount: z.string().nullable(),
        passengers: z.array(z.looseObject({ type: z.string().nullable() })),
        next: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
      }),
    ),
  }),
  change: z.object({ order: z.object({ returnedAmount: z.string().nullable(), totalAmount: z.string() }).nullable() }),
  next: z.string(),
  messages: z.tuple([z.object({ text: z.string() })], z.object({ text: z.string() })),
});
const Offers = z.object({
  offers: z.array(
    z.object({
      id: z.string(),
      conditions: z.object({ refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable() }),
    }),
  ),
});
const Order = z.object({
  orderId: z.string(),
  pnr: z.string(),
  totalAmount: z.string(),
  slices: z.array(z.object({ segments: z.array(z.object({ flightNumber: z.string(), departingAt: z.string() })) })),
});

let days = 100;
const nextDay = () => {
  days += 1;
  return Temporal.Now.plainDateISO("UTC").add({ days }).toString();
};

/** The cheapest non-refundable fare. */
async function bookCheap(departureDate = nextDay()) {
  const search = { origin: "LHR", destination: "JFK", departureDate };
  const { offers } = Offers.parse(await world.result("search_flights", search));
  const cheap = offers.find(({ conditions }) => conditions.refundBeforeDeparture?.allowed === false);
  const order = Order.parse(await world.result("book_flight", { offerId: cheap?.id }));
  await world.issueTickets(order.orderId);
  return { ...order, departureDate, departs: departureInstant(order) };
}

const departureInstant = ({ slices }: z.output<typeof Order>) =>
  Temporal.PlainDateTime.from(slices[0]?.segments[0]?.departingAt ?? "")
    .toZonedDateTime("Europe/London")
    .toInstant();

interface Asked {
  pnr: string;
  departs: Temporal.Instant;
  departureDate: string;
}

async function replan({ pnr, departs, departureDate }: Asked, disruption: object) {
  return Replanned.parse(
    await world.result("trip_delay_replanner", {
      originalLeg: { origin: "LHR", destination: "JFK", pnr, scheduledDepartureIso: departs.toString() },
      disruption,
      rebookSearch: { departureDate },
      notifyChannels: ["slack"],
    }),
  );
}

const listOptions = ({ messages: [{ text }] }: z.output<typeof Replanned>) =>
  text.split("\n").filter((line) => /^\d+\. /.test(line));

describe("a flight that the airline moved", () => {
  test("refunds what the airline quotes, in every number and word of the answer", async () => {
    const order = await bookCheap();
    expect((await replan(order, { kind: "delay" })).change.order?.returnedAmount).toBe("0.00");
    await world.supplier("/_sandbox/schedule_changes", { order_id: order.orderId, slice: 0, shift_minutes: 300 });
    const found = await replan(order, { kind: "delay" });
    const { refundAmount } = await world.result("cancel_order_quote", { orderId: order.orderId });
    expect(refundAmount).toBe(order.totalAmount);
    expect(found.change.order?.returnedAmount).toBe(refundAmount);
    const texts = found.airlineChange?.options.map(({ text }) => text).join(" ") ?? "";
    expect(texts).toContain(`now refunds the whole price, ${refundAmount} USD`);
    expect(texts).not.toContain("fare rules");
    for (const { totalAmount, differenceAmount } of found.alternatives.offers) {
      expect(Number(differenceAmount)).toBeCloseTo(Number(totalAmount) - Number(refundAmount));
    }
  });

  test.each([
    [-180, "Leaves earlier: LHR–JFK"],
    [180, "Delayed: LHR–JFK"],
    [null, "Cancelled: LHR–JFK"],
  ])(
    "by %s minutes heads the message with the actual change, whatever the caller calls it",
    async (shift, headline) => {
      const order = await bookCheap();
      await world.supplier("/_sandbox/schedule_changes", { order_id: order.orderId, slice: 0, shift_minutes: shift });
      const { messages } = await replan(order, { kind: "delay" });
      expect(messages[0].text).toContain(headline);
    },
  );
});

describe("a flight that is still to fly", () => {
  test("is kept first, and every text offers a new ticket only after that", async () => {
    const order = await bookCheap();
    const late = { kind: "delay", earliestUsableDepartureIso: order.departs.add({ hours: 4 }).toString() };
    const found = await replan(order, late);
    const lines = listOptions(found);
    expect(lines[0]).toContain("Keep your flight: it is still operating");
    expect(lines.join()).toContain("on top of what was paid");
    expect(found.next).toMatch(/^Keep the flight.*Only if the traveler cannot wait:.*book_flight.*refunds 0\.00 USD/);
  });

  test("with a small delay has nothing more expensive in the message, which tells of the omission", async () => {
    const order = await bookCheap();
    const late = { kind: "delay", earliestUsableDepartureIso: order.departs.add({ minutes: 90 }).toString() };
    const found = await replan(order, late);
    expect(found.alternatives.offers.length).toBeGreaterThan(0);
    const lines = listOptions(found);
    expect(lines[0]).toContain("Keep your flight");
    expect(lines.join()).not.toContain("on top of what was paid");
    expect(lines.join()).toContain("Other flights cost more and are left out here");
    expect(found.next).toContain("less than 3 hours");
  });
});

test("a cancellation leads with the airline's duties, and no text advises cancelling before the airline has answered", async () => {
  const order = await bookCheap();
  const found = await replan(order, { kind: "cancellation" });
  expect(listOptions(found)[0]).toContain("Under UK 261, the airline owes you another flight or a refund");
  expect(found.next).toMatch(/^Ask the airline first: under UK 261 it owes/);
  expect(found.next).toContain("Do not cancel the order before the airline has answered");
  expect(found.next).not.toContain("confirm_cancel_order");
});

test("the shortest channel cuts no advice in mid-sentence", async () => {
  const order = await bookCheap();
  const { messages } = z.object({ messages: z.array(z.object({ text: z.string() })) }).parse(
    await world.result("trip_delay_replanner", {
      originalLeg: {
        origin: "LHR",
        destination: "JFK",
        pnr: order.pnr,
        scheduledDepartureIso: order.departs.toString(),
      },
      disruption: { kind: "cancellation", reason: "Crew ".repeat(60) },
      rebookSearch: { departureDate: order.departureDate },
      needsHotelFallback: true,
      stayLocation: "LHR",
      notifyChannels: ["whatsapp", "email"],
    }),
  );
  const [short = "", long = ""] = messages.map(({ text }) => text);
  expect(short.length).toBeLessThanOrEqual(1_024);
  const lines = short.split("\n").filter((line) => /^\d+\. /.test(line));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(long).toContain(line);
});

test("the shortest channel keeps what protects the traveler, and drops offers, hotels and links for it", async () => {
  // A change announced two weeks ahead makes nobody wait.
  const order = await bookCheap(Temporal.Now.plainDateISO("UTC").add({ days: 5 }).toString());
  const Texts = z.object({ messages: z.array(z.object({ text: z.string() })) });
  const { messages } = Texts.parse(
    await world.result("trip_delay_replanner", {
      originalLeg: {
        origin: "LHR",
        destination: "JFK",
        pnr: order.pnr,
        scheduledDepartureIso: order.departs.toString(),
      },
      disruption: { kind: "delay", earliestUsableDepartureIso: order.departs.add({ hours: 24 }).toString() },
      rebookSearch: { departureDate: order.departureDate },
      needsHotelFallback: true,
      stayLocation: "London",
      notifyChannels: ["whatsapp", "slack"],
    }),
  );
  const [short = "", long = ""] = messages.map(({ text }) => text);
  const protects = ["Do not cancel your booking yourself", "owes you a hotel for the night", "£520.00", "meals"];
  for (const said of protects) expect([short, long]).toEqual([short, long].map(() => expect.stringContaining(said)));
  expect(short.length).toBeLessThanOrEqual(1_024);
  expect(long).toContain("google.com/maps");
  expect(short).not.toContain("google.com/maps");
});

test("a stay whose name is known only far from the leg gets no hotels there", async () => {
  const departureDate = nextDay();
  const { hotel } = await world.result("trip_delay_replanner", {
    originalLeg: { origin: "LHR", destination: "JFK", scheduledDepartureIso: `${departureDate}T12:00:00Z` },
    disruption: { kind: "delay" },
    rebookSearch: { departureDate },
    notifyChannels: [],
    needsHotelFallback: true,
    stayLocation: "Ginza",
  });
  expect(hotel).toMatchObject({
    available: false,
    accommodations: [],
    otherCandidates: ["Ginza, Tokyo, Japan"],
    reason: expect.stringContaining("not known near the airports of the leg"),
  });
});

test("a stay at the leg's destination airport is reported not to be where the traveler waits", async () => {
  const departureDate = nextDay();
  const Answer = z.object({
    hotel: z.object({ takenAs: z.string(), reason: z.string() }),
    transfer: z.object({ airport: z.string(), direction: z.string(), links: z.object({ google: z.string() }) }),
    messages: z.tuple([z.object({ text: z.string() })]),
  });
  const { hotel, transfer, messages } = Answer.parse(
    await world.result("trip_delay_replanner", {
      originalLeg: { origin: "LHR", destination: "CDG", scheduledDepartureIso: `${departureDate}T12:00:00Z` },
      disruption: { kind: "delay" },
      rebookSearch: { departureDate },
      notifyChannels: ["slack"],
      needsHotelFallback: true,
      stayLocation: "CDG",
    }),
  );
  expect(hotel.takenAs).toContain("LHR");
  expect(hotel.reason).toMatch(/stayLocation is near CDG.*hotels for a night of waiting are near LHR/);
  expect([transfer.direction, transfer.airport]).toEqual(["to_airport", "LHR"]);
  expect(messages[0].text).not.toContain("Airport CDG to");
  const { origin, destination } = Object.fromEntries(new URL(transfer.links.google).searchParams);
  expect(origin).not.toBe(destination);
});

test("an order's flight on another day than the caller's is reported first", async () => {
  const order = await bookCheap();
  const other = order.departs.add({ hours: 48 });
  const { next } = await replan({ ...order, departs: other }, { kind: "delay" });
  const { flightNumber, departingAt } = order.slices[0]?.segments[0] ?? {};
  expect(next).toMatch(/^scheduledDepartureIso is on a different day from your order's/);
  expect(next).toContain(`${flightNumber}, which leaves LHR at ${departingAt} local time`);
  expect((await replan(order, { kind: "delay" })).next).not.toContain("different day");
});

test("a family gets prices by age, and the call that books them succeeds", async () => {
  const departureDate = nextDay();
  const customers = [];
  for (const years of [6, 1]) {
    const userId = `family_${years}`;
    await world.result("save_traveler", {
      userId,
      givenName: "Kim",
      familyName: "Hopper",
      title: "ms",
      gender: "f",
      phoneNumber: "+442080160509",
      email: `${userId}-${world.service.tenantId}@example.com`,
      bornOn: Temporal.PlainDate.from(departureDate).subtract({ years, days: 30 }).toString(),
    });
    customers.push((await world.result("ensure_flight_customer", { clerkUserId: userId })).customerUserId);
  }
  const search = { origin: "LHR", destination: "JFK", departureDate, ages: [36, 6, 1] };
  const { offers } = Offers.parse(await world.result("search_more_flights", search));
  const family = { additionalCustomerUserIds: customers };
  const booked = await world.result("book_flight", { offerId: offers[0]?.id, ...family });
  const order = Order.parse(booked);
  const found = await replan({ ...order, departureDate, departs: departureInstant(order) }, { kind: "cancellation" });
  const [offer] = found.alternatives.offers;
  expect(offer?.passengers.map(({ type }) => type)).toEqual(["adult", "child", "infant_without_seat"]);
  const again = await world.result(offer?.next.tool ?? "", offer?.next.args);
  expect(again).toMatchObject({ travelers: [{}, { givenName: "Kim" }, { givenName: "Kim" }] });
});
