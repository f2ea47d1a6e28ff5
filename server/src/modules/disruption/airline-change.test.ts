import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStays, type StaysWorld } from "../../../test/support/stays-service.ts";

/** The answer for a traveler whose airline moved or cancelled a flight booked here. */
let world: StaysWorld;
beforeAll(async () => {
  world = await openStays("shared");
});
afterAll(() => world?.close());

const Option = z.object({
  kind: z.string(),
  beyondPaidAmount: z.string().nullable(),
  text: z.string(),
  next: z.object({ tool: z.string() }).nullable(),
});
const Duty = z.object({
  rule: z.string(),
  owes: z.string(),
  onlyIf: z.string().nullable(),
  source: z.object({ url: z.url(), asOf: z.string().nullable() }),
});
const Hotel = z.object({ id: z.string(), name: z.string(), distanceMeters: z.number() });
const Replanned = z.object({
  airlineChange: z
    .object({
      departsLaterMinutes: z.number().nullable(),
      becomes: z.array(z.object({ departingAt: z.string() })),
      options: z.array(Option),
      duties: z.array(Duty),
    })
    .nullable(),
  alternatives: z.object({
    reason: z.string().nullable(),
    offers: z.array(
      z.object({
        totalAmount: z.string(),
        differenceAmount: z.string().nullable(),
        conditions: z.object({ refundBeforeDeparture: z.object({ allowed: z.boolean() }).nullable() }),
      }),
    ),
  }),
  change: z.object({
    reason: z.string().nullable(),
    order: z.object({ returnedAmount: z.string() }).nullable(),
    offers: z.array(z.object({ changeTotalAmount: z.string() })),
  }),
  hotel: z
    .object({ accommodations: z.array(Hotel), picks: z.object({ best: z.string(), nearest: z.string() }) })
    .nullable(),
  next: z.string(),
  messages: z.tuple([z.object({ text: z.string() })]),
});
const Row = z.object({ pnr: z.string() });

const date = Temporal.Now.plainDateISO("UTC").add({ days: 45 }).toString();

async function bookedPnr() {
  const { orderId } = await world.bookFlexible();
  const [row] = await world.service.sql("select pnr from booking where order_id = $1", [orderId]);
  return { orderId, ...Row.parse(row) };
}

const replan = async (pnr: string, extra: object = {}) =>
  Replanned.parse(
    await world.result("trip_delay_replanner", {
      originalLeg: { origin: "LHR", destination: "JFK", pnr, scheduledDepartureIso: `${date}T08:00:00Z` },
      disruption: { kind: "delay" },
      rebookSearch: { departureDate: date },
      notifyChannels: ["slack"],
      ...extra,
    }),
  );

describe("an airline that changes a booked flight", () => {
  it.each([
    {
      shift: 300,
      kinds: ["accept", "airline_duty", "voluntary_change"],
      duties: ["UK 261: refund"],
      text: "Under UK 261",
    },
    { shift: 45, kinds: ["accept", "ask_airline", "voluntary_change"], duties: [], text: "conditions of carriage" },
    {
      shift: null,
      kinds: ["airline_duty", "voluntary_change"],
      text: "owes you another flight or a refund",
      duties: ["UK 261: flight_or_refund", "US DOT: refund"],
    },
  ])("by $shift minutes is answered before the traveler pays for a change", async ({ shift, kinds, duties, text }) => {
    const { orderId, pnr } = await bookedPnr();
    const none = await replan(pnr);
    expect(none.airlineChange).toBeNull();
    await world.supplier("/_sandbox/schedule_changes", { order_id: orderId, slice: 0, shift_minutes: shift });
    const { airlineChange, change, next, messages } = await replan(pnr);
    expect(airlineChange?.departsLaterMinutes).toBe(shift);
    expect(airlineChange?.options.map(({ kind }) => kind)).toEqual(kinds);
    expect(airlineChange?.duties.map(({ rule, owes }) => `${rule}: ${owes}`)).toEqual(duties);
    // Only the last option costs anything, and its price is the difference.
    const costs = airlineChange?.options.map(({ beyondPaidAmount }) => beyondPaidAmount);
    expect(costs?.slice(0, -1).every((cost) => cost === "0.00" || cost === null)).toBe(true);
    expect(costs?.at(-1)).toBe(change.offers[0]?.changeTotalAmount);
    expect(next).toContain("Respond to the airline first");
    expect(change.reason).toContain("airlineChange says what it owes");
    const [{ text: message }] = messages;
    expect(message).toContain(text);
    if (shift === 45) expect(message).not.toContain("on top of what was paid");
    else expect(message.indexOf(text)).toBeLessThan(message.indexOf("Changing booking"));
    expect(message.includes("Accepting the new times: nothing to pay")).toBe(shift !== null);
  });

  it("its traveler reads the additional cost of each option, and which one is not refundable", async () => {
    const { pnr } = await bookedPnr();
    const { alternatives, change, messages } = await replan(pnr);
    const [{ text }] = messages;
    const lines = text.split("\n");
    const isHeld = Number(change.order?.returnedAmount) > 0;
    expect([isHeld, alternatives.reason]).toEqual([true, expect.stringContaining("Your order is refundable")]);
    const worse = alternatives.offers.filter(({ conditions }) => conditions.refundBeforeDeparture?.allowed !== true);
    expect(worse.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("not refundable, unlike your ticket"))).toHaveLength(worse.length);
    for (const { totalAmount, differenceAmount } of alternatives.offers) {
      const difference = differenceAmount ?? "";
      expect(difference).not.toBe(totalAmount);
      const said = difference.startsWith("-") ? "is refunded" : "on top of what was paid";
      expect(
        lines.some((line) => line.includes(difference.replace("-", "")) && line.includes(said)),
        text,
      ).toBe(true);
    }
    expect(text).toMatch(/Changing booking .*(on top of what was paid|is refunded)/);
  });

  it("its traveler reads the distance of the hotel, and of the nearest one if the best is far", async () => {
    const far: boolean[] = [];
    for (const stayLocation of ["London", "LHR", "LGW", "51.38, -0.1"]) {
      const { hotel, messages } = await replan("", { needsHotelFallback: true, stayLocation });
      const [best, nearest] = [hotel?.picks.best, hotel?.picks.nearest].map((wanted) =>
        hotel?.accommodations.find(({ id }) => id === wanted),
      );
      if (best === undefined || nearest === undefined) throw new Error("no hotel was found");
      const [{ text }] = messages;
      const kilometers = (meters: number) => `${Number((meters / 1_000).toFixed(1))} km`;
      expect(text).toContain(`(${kilometers(best.distanceMeters)})`);
      const isFar = best.id !== nearest.id && best.distanceMeters > 5_000;
      far.push(isFar);
      expect(text.includes(`Nearest: ${nearest.name}`)).toBe(isFar);
      if (isFar) expect(text).toContain(`(${kilometers(nearest.distanceMeters)})`);
    }
    expect(new Set(far)).toEqual(new Set([true, false]));
  });
});

describe("a long delay of a flight that was not booked here", () => {
  // A change announced two weeks ahead makes nobody wait.
  const soon = Temporal.Now.plainDateISO("UTC").add({ days: 5 }).toString();
  const asked = {
    originalLeg: {
      origin: "LHR",
      destination: "JFK",
      flightNumber: "117",
      carrier: "BA",
      scheduledDepartureIso: `${soon}T08:00:00Z`,
    },
    rebookSearch: { departureDate: soon },
    notifyChannels: ["email"],
  };
  const Answer = z.object({
    duties: z.array(z.object({ rule: z.string(), owes: z.string(), amount: z.string().nullable() })),
    next: z.string(),
    messages: z.tuple([z.object({ text: z.string() })]),
  });
  const late = async (disruption: object, extra: object = {}) =>
    Answer.parse(await world.result("trip_delay_replanner", { ...asked, disruption, ...extra }));
  const usable = (hours: number) => Temporal.Instant.from(`${soon}T08:00:00Z`).add({ hours }).toString();

  it("has a right to the price, to care and to compensation, before anybody cancels", async () => {
    const { duties, next, messages } = await late({ kind: "delay", earliestUsableDepartureIso: usable(6) });
    expect(duties.filter(({ rule }) => rule === "UK 261").map(({ owes, amount }) => [owes, amount])).toEqual([
      ["care", null],
      ["refund", null],
      ["compensation", "520"],
    ]);
    expect(next).toMatch(/owes a refund under UK 261.*meals.*520 GBP.*Do not cancel the booking before/);
    const [{ text }] = messages;
    expect(text).toMatch(/owes you a refund if you do not fly.*Do not cancel.*£520.*meals/);
  });

  it("has a hotel if it leaves on the next day, and no more than meals after four hours", async () => {
    const overnight = await late({ kind: "delay", earliestUsableDepartureIso: usable(25) });
    expect(overnight.next).toMatch(/a hotel and the transfer/);
    expect(overnight.messages[0].text).toMatch(/hotel for the night/);
    const { duties, next } = await late({ kind: "delay", earliestUsableDepartureIso: usable(4) });
    expect(duties.map(({ owes }) => owes)).toEqual(["care", "compensation"]);
    expect(next).not.toMatch(/refund/);
  });

  it("has a refund alone if it was announced long before", async () => {
    const originalLeg = { ...asked.originalLeg, scheduledDepartureIso: `${date}T08:00:00Z` };
    const moved = Temporal.Instant.from(originalLeg.scheduledDepartureIso).add({ hours: 25 }).toString();
    const { duties, next, messages } = await late(
      { kind: "delay", earliestUsableDepartureIso: moved },
      { originalLeg, rebookSearch: { departureDate: date } },
    );
    expect(duties.filter(({ rule }) => rule === "UK 261").map(({ owes }) => owes)).toEqual(["refund"]);
    expect(`${next} ${messages[0].text}`).not.toMatch(/520|a hotel|meals/);
  });

  it("is told that no law is known where none is", async () => {
    const originalLeg = { ...asked.originalLeg, origin: "NRT", destination: "BKK" };
    const { duties, next } = await late({ kind: "delay", earliestUsableDepartureIso: usable(6) }, { originalLeg });
    expect([duties, next]).toEqual([[], expect.stringContaining("No law on the airline's duties is known")]);
  });
});
