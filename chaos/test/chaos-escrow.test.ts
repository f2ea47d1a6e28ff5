import { describe, expect, test } from "vitest";
import type { EscrowBooks } from "../src/escrow/books.ts";
import { checkAnswered, checkRefused } from "../src/escrow/check-answers.ts";
import { checkKnown, checkMoney, checkOnce, checkStates, checkVendors } from "../src/escrow/check-books.ts";
import { bookingKey, type EscrowEvent, type EscrowFacts } from "../src/escrow/escrow-view.ts";
import type { Intent } from "../src/intents.ts";

const OPENING = 1_000n;
const trip = "0x01";
const [settled, cancelled, returned] = ["0x0a", "0x0b", "0x0c"] as const;
const [vendor, otherVendor, guest] = ["0xaa", "0xbb", "0xcc"] as const;

/** A trip with a claim, an action, and bookings that were settled, cancelled and given back to it. */
function sound() {
  const client = { call: () => Promise.reject(new Error("nobody calls")), put: () => Promise.resolve() };
  const traveler = { client, tenantId: "ten_1", userId: undefined };
  const intent = (tool: string, subject: string, result: unknown, args: Record<string, unknown> = {}): Intent => ({
    sequence: 1,
    traveler,
    request: { tool, args },
    subject,
    answers: [1, 2].map(() => ({
      kind: "ok",
      result,
      meterId: undefined,
      priceMicroUsdc: undefined,
      replayed: false,
      signed: true,
    })),
  });
  const booking = { trip_id: trip, tenant_id: "ten_1", is_pending: false } as const;
  const books: EscrowBooks = {
    trips: [
      {
        trip_id: trip,
        tenant_id: "ten_1",
        state: "funded",
        budget: 500n,
        free: 89n,
        held: 0n,
        promised: 0n,
        vendor_paid: 200n,
        markup_paid: 8n,
        service_fee_paid: 2n,
        action_fee_paid: 1n,
        refunded: 200n,
        guest_wallet: guest,
        is_pending: false,
      },
    ],
    bookings: [
      {
        ...booking,
        booking_id: settled,
        state: "settled",
        reserved: 300n,
        vendor,
        vendor_amount: 200n,
        markup: 8n,
        service_fee: 2n,
        vendor_paid: 200n,
        fee_paid: 10n,
        refunded: 90n,
      },
      {
        ...booking,
        booking_id: cancelled,
        state: "cancelled",
        reserved: 110n,
        vendor: otherVendor,
        vendor_amount: 50n,
        markup: 0n,
        service_fee: 0n,
        vendor_paid: 0n,
        fee_paid: 0n,
        refunded: 110n,
      },
      {
        ...booking,
        booking_id: returned,
        state: "cancelled",
        reserved: 70n,
        vendor: null,
        vendor_amount: 0n,
        markup: 0n,
        service_fee: 0n,
        vendor_paid: 0n,
        fee_paid: 0n,
        refunded: 0n,
      },
    ],
    actions: [{ action_id: "0x0f", trip_id: trip, fee: 1n }],
    purses: [{ tenant_id: "ten_1", balance: OPENING - 500n + 8n + 1n + 200n }],
    escrow: 89n,
    collection: 2n,
  };
  const events: EscrowEvent[] = [
    { name: "TripFunded", tripId: trip, subject: undefined, amount: 500n },
    { name: "TripClaimed", tripId: trip, subject: guest, amount: 0n },
    { name: "BookingReserved", tripId: trip, subject: settled, amount: 300n },
    { name: "BookingSettled", tripId: trip, subject: settled, amount: 90n },
    { name: "BookingReserved", tripId: trip, subject: cancelled, amount: 110n },
    { name: "BookingCancelled", tripId: trip, subject: cancelled, amount: 110n },
    { name: "BookingReserved", tripId: trip, subject: returned, amount: 70n },
    { name: "BookingReturned", tripId: trip, subject: returned, amount: 70n },
    { name: "ActionLogged", tripId: trip, subject: "0x0f", amount: 1n },
  ];
  const onChain = (
    state: string,
    [reserved, vendorAmount, markup, serviceFee]: readonly [bigint, bigint, bigint, bigint],
  ) => ({ state, reserved, vendorAmount, markup, serviceFee });
  const facts = {
    balance: 89n,
    trips: new Map([[trip, { free: 89n, held: 0n, guest }]]),
    bookings: new Map([
      [bookingKey({ trip_id: trip, booking_id: settled }), onChain("settled", [300n, 200n, 8n, 2n])],
      [bookingKey({ trip_id: trip, booking_id: cancelled }), onChain("cancelled", [110n, 50n, 0n, 0n])],
      [bookingKey({ trip_id: trip, booking_id: returned }), onChain("cancelled", [70n, 0n, 0n, 0n])],
    ]),
    vendors: new Map([
      [vendor, 200n],
      [otherVendor, 0n],
    ]),
    events,
  } satisfies EscrowFacts;
  const told = (bookingId: string) => ({ tripId: trip, bookingId, txHash: "0x1" });
  const refused: Intent = {
    ...intent("cancel_booking", settled, undefined, { bookingId: settled }),
    answers: [{ kind: "refused", code: "wrong_state", retryable: false }],
  };
  const journal = [
    intent("prefund_trip", "key", { tripId: trip, txHash: "0x1", guestLink: "shown once" }),
    intent("settle_booking", settled, told(settled), { bookingId: settled }),
    intent("cancel_booking", cancelled, told(cancelled), { bookingId: cancelled }),
    refused,
    intent("release_reservation", returned, { ...told(returned), returnedTo: "trip" }, { bookingId: returned }),
    intent("release_reservation", cancelled, { ...told(cancelled), returnedTo: "wallet" }, { bookingId: cancelled }),
  ];
  return { books, facts, journal };
}
type Sound = ReturnType<typeof sound>;

/** Names of what does not hold. */
function failing({ books, facts, journal }: Sound): string[] {
  return [
    checkOnce(facts.events),
    checkAnswered(journal, facts.events),
    checkRefused(journal, facts.events),
    checkKnown(books, facts),
    checkStates(books, facts),
    checkVendors(books, facts),
    checkMoney(books, facts, OPENING),
  ].flatMap(({ invariant, problems }) => (problems.length > 0 ? [invariant] : []));
}

describe("every invariant", () => {
  const first = <Item extends object>(list: readonly Item[]): object => list[0] ?? {};
  const again = ({ facts }: Sound, name: string) =>
    facts.events.push(...facts.events.filter((one) => one.name === name));
  const spoilers: [string, string, (sound: Sound) => unknown][] = [
    ["a trip was funded twice", "each trip is funded", (all) => again(all, "TripFunded")],
    ["a booking was reserved twice", "each trip is funded", (all) => again(all, "BookingReserved")],
    [
      "a booking was settled and cancelled",
      "each trip is funded",
      ({ facts }) => facts.events.push({ name: "BookingCancelled", tripId: trip, subject: settled, amount: 300n }),
    ],
    [
      "a booking was given back to its trip and cancelled",
      "each trip is funded",
      ({ facts }) => facts.events.push({ name: "BookingCancelled", tripId: trip, subject: returned, amount: 70n }),
    ],
    [
      "what is said to be back in the trip is not",
      "every answered success",
      ({ facts }) =>
        Object.assign(facts.events.find(({ name }) => name === "BookingReturned") ?? {}, { name: "Other" }),
    ],
    ["what was answered is not on the chain", "every answered success", ({ facts }) => facts.events.splice(3, 1)],
    [
      "two answers differ",
      "every answered success",
      ({ journal }) => Object.assign(journal[1]?.answers[1] ?? {}, { result: { tripId: trip, txHash: "0x2" } }),
    ],
    [
      "what was refused happened",
      "what was refused",
      ({ journal }) =>
        Object.assign(journal[3] ?? {}, { request: { tool: "settle_booking", args: { bookingId: settled } } }),
    ],
    ["a booking is not in our records", "trips, bookings, claims", ({ books }) => books.bookings.pop()],
    ["an action is not on the chain", "trips, bookings, claims", ({ facts }) => facts.events.pop()],
    [
      "a state differs",
      "states and amounts",
      ({ books }) => Object.assign(first(books.bookings), { state: "confirmed" }),
    ],
    ["an amount differs", "states and amounts", ({ books }) => Object.assign(first(books.trips), { free: 90n })],
    ["a vendor was paid twice", "vendors have", ({ facts }) => facts.vendors.set(vendor, 400n)],
    ["a trip lost money", "what was funded", ({ books }) => Object.assign(first(books.trips), { refunded: 199n })],
    ["a treasury is off", "what was funded", ({ books }) => Object.assign(first(books.purses), { balance: 1n })],
    ["the escrow has less", "what was funded", ({ facts }) => Object.assign(facts, { balance: 88n })],
    ["the escrow's account is off", "what was funded", ({ books }) => Object.assign(books, { escrow: 88n })],
    ["the service took too much", "what was funded", ({ books }) => Object.assign(books, { collection: 3n })],
  ];

  test("holds for sound books", () => {
    expect(failing(sound())).toEqual([]);
  });

  test.each(spoilers)("fails when %s", (_, invariant, spoil) => {
    const all = sound();
    spoil(all);
    expect(failing(all).filter((name) => name.startsWith(invariant))).toHaveLength(1);
  });
});
