import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { EscrowBooks } from "./books.ts";
import { bookingKey, type EscrowEvent, type EscrowFacts } from "./escrow-view.ts";

/** Our records of trips and bookings against the escrow's own. */

type Trip = EscrowBooks["trips"][number];

const NOBODY = `0x${"0".repeat(40)}`;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const isFunded = ({ state }: Trip): boolean => state === "funded" || state === "closed";
const paidOut = (trip: Trip): bigint =>
  trip.vendor_paid + trip.markup_paid + trip.service_fee_paid + trip.action_fee_paid + trip.refunded;

/** At any moment, by the chain's events alone. */
export function checkOnce(events: readonly EscrowEvent[]): Finding {
  const of = (...names: string[]) => events.filter(({ name }) => names.includes(name));
  const problems = [
    ...findRepeated(of("TripFunded"), ({ tripId }) => `a funding of ${tripId}`),
    ...findRepeated(of("TripClaimed"), ({ tripId }) => `a claim of ${tripId}`),
    ...findRepeated(of("BookingReserved"), ({ tripId, subject }) => `a reservation of ${tripId} ${subject}`),
    ...findRepeated(
      of("BookingSettled", "BookingCancelled", "BookingReturned"),
      ({ tripId, subject }) => `an end of ${tripId} ${subject}`,
    ),
    ...findRepeated(of("ActionLogged"), ({ tripId, subject }) => `an action ${tripId} ${subject}`),
  ];
  return {
    invariant: "each trip is funded and claimed, and each booking reserved and ended, at most once",
    checked: events.length,
    problems,
  };
}

/** One to one: what the escrow has and what is in our records. */
export function checkKnown({ trips, bookings, actions }: EscrowBooks, { events }: EscrowFacts): Finding {
  const named = (name: string) => events.filter((event) => event.name === name);
  const onChain = [
    ...named("TripFunded").map(({ tripId, amount }) => `trip ${tripId} over ${amount}`),
    ...named("BookingReserved").map(({ tripId, subject, amount }) => `booking ${tripId} ${subject} over ${amount}`),
    ...named("ActionLogged").map(({ tripId, subject, amount }) => `action ${tripId} ${subject} for ${amount}`),
    ...named("TripClaimed").map(({ tripId, subject }) => `claim ${tripId} by ${subject}`),
  ];
  const inBooks = [
    ...trips.filter(isFunded).map(({ trip_id, budget }) => `trip ${trip_id} over ${budget}`),
    ...bookings
      .filter(({ state }) => state !== "failed" && state !== "reserving")
      .map((booking) => `booking ${bookingKey(booking)} over ${booking.reserved}`),
    ...actions.map(({ trip_id, action_id, fee }) => `action ${trip_id} ${action_id} for ${fee}`),
    ...trips.flatMap(({ trip_id, guest_wallet }) =>
      guest_wallet === null ? [] : [`claim ${trip_id} by ${guest_wallet}`],
    ),
  ];
  const [there, here] = [new Set(onChain), new Set(inBooks)];
  const problems = [
    ...onChain.filter((one) => !here.has(one)).map((one) => `${one} is on the chain and not in our records`),
    ...inBooks.filter((one) => !there.has(one)).map((one) => `${one} is in our records and not on the chain`),
  ];
  return {
    invariant: "trips, bookings, claims and actions of the escrow are those of our records",
    checked: onChain.length,
    problems,
  };
}

export function checkStates({ trips, bookings }: EscrowBooks, facts: EscrowFacts): Finding {
  const problems: string[] = [];
  for (const { trip_id, free, held, guest_wallet } of trips) {
    const there = facts.trips.get(trip_id);
    const [ours, theirs] = [
      `${free} free, ${held} held, claimed by ${guest_wallet ?? NOBODY}`,
      `${there?.free} free, ${there?.held} held, claimed by ${there?.guest}`,
    ];
    if (ours !== theirs) problems.push(`trip ${trip_id}: ${ours} in our records, ${theirs} in the escrow`);
  }
  for (const booking of bookings) {
    const there = facts.bookings.get(bookingKey(booking));
    const isThere = booking.state !== "failed" && booking.state !== "reserving";
    const ours = isThere
      ? `${booking.state} ${booking.reserved} ${booking.vendor_amount} ${booking.markup} ${booking.service_fee}`
      : "none 0 0 0 0";
    const theirs = `${there?.state} ${there?.reserved} ${there?.vendorAmount} ${there?.markup} ${there?.serviceFee}`;
    if (ours !== theirs)
      problems.push(`booking ${bookingKey(booking)}: ${ours} in our records, ${theirs} in the escrow`);
  }
  return {
    invariant: "states and amounts of our records are the escrow's",
    checked: trips.length + bookings.length,
    problems,
  };
}

export function checkVendors({ bookings }: EscrowBooks, { vendors }: EscrowFacts): Finding {
  const due = new Map<Hex, bigint>();
  for (const { vendor, state, vendor_amount } of bookings) {
    if (vendor !== null) due.set(vendor, (due.get(vendor) ?? 0n) + (state === "settled" ? vendor_amount : 0n));
  }
  const problems = [...due].flatMap(([vendor, amount]) =>
    vendors.get(vendor) === amount ? [] : [`vendor ${vendor} has ${vendors.get(vendor)}, its bookings make ${amount}`],
  );
  return {
    invariant: "vendors have what their settled bookings are over, to the micro-unit",
    checked: due.size,
    problems,
  };
}

/** funded = paid to vendors + fees + refunded + free + held, for each trip, each tenant and all of them. */
export function checkMoney(
  { trips, purses, escrow, collection }: EscrowBooks,
  { balance }: EscrowFacts,
  opening: bigint,
): Finding {
  const funded = trips.filter(isFunded);
  const problems = funded.flatMap((trip) => {
    const now = paidOut(trip) + trip.free + trip.held;
    return now === trip.budget ? [] : [`trip ${trip.trip_id} was funded with ${trip.budget} and accounts for ${now}`];
  });
  for (const { tenant_id, balance: has } of purses) {
    const own = funded.filter((trip) => trip.tenant_id === tenant_id);
    const cameBack = sum(own.map((trip) => trip.markup_paid + trip.action_fee_paid + trip.refunded));
    const expected = opening - sum(own.map(({ budget }) => budget)) + cameBack;
    if (has !== expected) problems.push(`${tenant_id} has ${has}, its trips leave ${expected}`);
  }
  const inside = sum(funded.map(({ free, held }) => free + held));
  if (balance !== inside) problems.push(`the escrow has ${balance} on the chain, its trips have ${inside}`);
  if (escrow !== inside) problems.push(`the escrow's account has ${escrow}, its trips have ${inside}`);
  const fees = sum(funded.map(({ service_fee_paid }) => service_fee_paid));
  if (collection !== fees) problems.push(`the service collected ${collection}, its fees make ${fees}`);
  return {
    invariant: "what was funded is what was paid, refunded, free and held, in records, ledger and chain",
    onlyAlone: true,
    checked: funded.length + purses.length,
    problems,
  };
}
