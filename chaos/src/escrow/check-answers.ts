import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Finding } from "../area.ts";
import { describe, findRefusal, type Intent, listResults } from "../intents.ts";
import type { EscrowEvent } from "./escrow-view.ts";

/** Compares callers' answers with the chain's events. */

const Told = z.object({
  tripId: z.string(),
  bookingId: z.string().optional(),
  txHash: z.string(),
  returnedTo: z.string().optional(),
});
const EVENT_OF: Readonly<Record<string, string>> = {
  prefund_trip: "TripFunded",
  guest_claim_link: "TripClaimed",
  reserve_booking: "BookingReserved",
  settle_booking: "BookingSettled",
  cancel_booking: "BookingCancelled",
  release_reservation: "BookingReturned",
  log_agent_action: "ActionLogged",
};
/** Members that a repetition omits, or that reflect the current state: other steps of the trip, and blocks, come between two answers. */
const OF_THE_MOMENT = new Set([
  ...["guestLink", "claimCode", "emailSent", "emailNote", "asOf"],
  ...["walletReturn", "tripFreeUsdc", "freeUsdc"],
]);

const lasting = (result: unknown): unknown =>
  Object.fromEntries(
    Object.entries(z.record(z.string(), z.unknown()).parse(result)).filter(([name]) => !OF_THE_MOMENT.has(name)),
  );

/** At any moment: what was answered as done is on the chain, and every answer says the same. */
export function checkAnswered(journal: readonly Intent[], events: readonly EscrowEvent[]): Finding {
  const there = new Set(events.map(({ name, tripId, subject }) => `${name} ${tripId} ${subject}`));
  const trips = new Set(events.map(({ name, tripId }) => `${name} ${tripId}`));
  let checked = 0;
  const problems = journal.flatMap((intent) => {
    const results = listResults(intent);
    const usual = EVENT_OF[intent.request.tool];
    const differing = results.slice(1).filter((result) => !isDeepStrictEqual(lasting(result), lasting(results[0])));
    const found = differing.length > 0 ? [`${describe(intent)} was answered in different ways`] : [];
    for (const result of usual === undefined ? [] : results) {
      checked += 1;
      const { tripId, bookingId, returnedTo } = Told.parse(result);
      // A booking cancelled before can no longer return to the trip, and the answer reports that the wallet has the money.
      const event = returnedTo === "wallet" ? "BookingCancelled" : usual;
      const isThere =
        bookingId === undefined ? trips.has(`${event} ${tripId}`) : there.has(`${event} ${tripId} ${bookingId}`);
      if (!isThere) found.push(`${describe(intent)} was answered as done, and the chain has no ${event}`);
    }
    return found;
  });
  return {
    invariant: "every answered success is on the chain, and the same however often it was asked",
    checked,
    problems,
  };
}

/** At any moment: what was refused for good did not happen by that call. */
export function checkRefused(journal: readonly Intent[], events: readonly EscrowEvent[]): Finding {
  const ends = new Set(events.map(({ name, subject }) => `${name} ${subject}`));
  let checked = 0;
  const problems = journal.flatMap((intent) => {
    const code = findRefusal(intent);
    const { tool, args } = intent.request;
    const event = EVENT_OF[tool];
    // A call refused before there was a booking may succeed once there is one.
    if (code === undefined || code === "booking_not_found" || event === undefined) return [];
    checked += 1;
    return ends.has(`${event} ${String(args.bookingId)}`)
      ? [`${describe(intent)} was refused (${code}), and the chain has its ${event}`]
      : [];
  });
  return { invariant: "what was refused for good did not happen", checked, problems };
}
