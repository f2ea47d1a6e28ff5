import { z } from "zod";
import { NextCursor, pageInput } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { readTripPage, TripCursor } from "../trips/read-trips.ts";
import { describeTrip, TripSummary } from "../trips/trip-answers.ts";

export const listTrips = defineTool({
  name: "list_trips",
  title: "List trips",
  summary: "List your prefunded trips, newest first: state and budget.",
  area: "escrow",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "reads", "clock"],
  input: z.strictObject(pageInput(TripCursor)),
  output: z.object({ trips: z.array(TripSummary), nextCursor: NextCursor }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor, limit }, { stores: { trips }, reads, clock, caller }) {
    const { trips: shown, nextCursor } = await readTripPage({ trips, reads }, caller, { cursor, limit });
    const now = clock.now();
    return { trips: shown.map((trip) => describeTrip(trip, now)), nextCursor };
  },
});
