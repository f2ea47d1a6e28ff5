import { z } from "zod";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { pageInput } from "../../../kernel/contracts/page.ts";
import { RecordCursor, readTripRecord, TripRecordAnswer } from "../../trip-record/index.ts";
import { defineTool } from "../context.ts";
import { tripStateErrors } from "../errors.ts";
import { readHash } from "../input.ts";
import { readWholeTrip } from "../trips/read-trips.ts";
import { describeWhole, TripAnswer, type WholeTrip } from "../trips/trip-answers.ts";

const { trip_not_found } = tripStateErrors;

const Budget = z.object({
  freeUsdc: DecimalAmount.describe("Can be reserved; close_trip returns it"),
  reservedUsdc: DecimalAmount.describe("Reserved for bookings without a price yet"),
  committedUsdc: DecimalAmount.describe(
    "Reserved for bookings with a price, ticketed or not; what they do not use is returned",
  ),
  settledUsdc: DecimalAmount.describe("Paid out to vendors, to you as markup, and to the service"),
  actionFeesUsdc: DecimalAmount.describe("Fees of logged agent actions"),
  returnedUsdc: DecimalAmount.describe("Back in your treasury wallet"),
});

const History = z
  .array(z.object({ at: z.string(), step: z.string(), bookingId: z.string().nullable(), txHash: z.string() }))
  .describe("Oldest first");

/** The claim belongs to the guest, and the seed of the guest's code to nobody else. */
const Output = TripAnswer.omit({ codeNonce: true, transactions: true, promisedUsdc: true }).extend({
  budget: Budget,
  history: History,
  ...TripRecordAnswer.shape,
});

export const readTrip = defineTool({
  name: "read_trip",
  title: "Read a trip",
  summary: "Show one trip: budget, claim, bookings, transactions, and its full record, in pages.",
  area: "escrow",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "reads", "clock"],
  input: z.strictObject({
    tripId: z.string().describe("From prefund_trip or list_trips"),
    ...pageInput(RecordCursor),
  }),
  output: Output,
  errors: { trip_not_found },
  example: (_today, { tripId }) => ({ tripId }),

  async run(input, { stores: { trips, escrowBookings }, reads, clock, caller, fail }) {
    const tripId = readHash(input.tripId);
    const whole = tripId === undefined ? undefined : await readWholeTrip({ trips, escrowBookings }, caller, tripId);
    if (whole === undefined) throw fail("trip_not_found");
    const { codeNonce, transactions, promisedUsdc, ...trip } = describeWhole(whole, clock.now());
    const owner = { tenantId: caller.tenantId, environment: caller.environment, tripId: trip.tripId };
    const record = await readTripRecord(reads, owner, input);
    return { ...trip, budget: toBudget(whole), history: toHistory(whole), ...record };
  },
});

function toBudget({ trip, bookings }: WholeTrip): z.output<typeof Budget> {
  const committed = bookings
    .filter(({ state }) => state === "committed" || state === "confirmed")
    .reduce((sum, { reserved }) => sum + reserved, 0n);
  return {
    freeUsdc: formatDecimal(trip.free),
    reservedUsdc: formatDecimal(trip.held - committed),
    committedUsdc: formatDecimal(committed),
    settledUsdc: formatDecimal(trip.vendorPaid + trip.markupPaid + trip.serviceFeePaid),
    actionFeesUsdc: formatDecimal(trip.actionFeePaid),
    returnedUsdc: formatDecimal(trip.refunded),
  };
}

function toHistory({ trip, bookings }: WholeTrip): z.output<typeof History> {
  const ofTrip = trip.transactions.map((one) => ({ ...one, bookingId: null }));
  const ofBookings = bookings.flatMap(({ bookingId, transactions }) =>
    transactions.map((one) => ({ ...one, bookingId })),
  );
  return [...ofTrip, ...ofBookings]
    .toSorted((left, right) => Temporal.Instant.compare(left.at, right.at))
    .map(({ at, step, bookingId, transactionHash }) => ({
      at: at.toString(),
      step,
      bookingId,
      txHash: transactionHash,
    }));
}
