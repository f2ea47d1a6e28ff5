import { z } from "zod";
import { Failure, type ServiceCode } from "../../domain/errors.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { NextCursor, pageQuery } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { RecordCursor, readTripRecord, TripRecordAnswer } from "../trip-record/index.ts";
import type { Ports, Reads, Stores } from "./context.ts";
import { Hash, requireHash } from "./input.ts";
import { closeTrip } from "./trips/close-trip.ts";
import { readTripPage, readWholeTrip, TripCursor } from "./trips/read-trips.ts";
import {
  BookingAnswer,
  describeBooking,
  describeTrip,
  describeWhole,
  NO_SUCH_TRIP,
  TripAnswer,
  TripClosed,
  TripSummary,
} from "./trips/trip-answers.ts";

/** The stores of the routes for the tenant's trips and bookings in escrow. */
interface TripRoutePorts {
  stores: Pick<Stores, "trips" | "escrowBookings">;
  reads: Reads;
  clock: Clock;
}

interface ClosingPorts {
  /** Undefined if this environment is switched off. */
  portsFor(environment: Environment): Pick<Ports, "chain" | "submission" | "stores" | "clock"> | undefined;
}

const RETRY_AFTER_SECONDS = 10;

const TripPath = z.object({ tripId: Hash.describe("0x and 64 hex digits, from prefund_trip") });

const ListedTrip = TripSummary.extend({
  tripSummary: wordsOfOthers("As given to prefund_trip").nullable(),
});

const listTrips = defineRoute({
  id: "get_trips",
  method: "GET",
  path: "/api/trips",
  tag: "escrow",
  summary: "List trips",
  description: "The tenant's prefunded trips, newest first, and where their money is.",
  scope: "escrow:read",
  query: z.object(pageQuery(TripCursor)),
  answers: {
    200: {
      description: "One page of trips.",
      schema: z.object({ trips: z.array(ListedTrip).describe("Newest first"), nextCursor: NextCursor }),
    },
  },
  errors: {},
  async run({ principal, query }, { stores: { trips }, reads, clock }: TripRoutePorts) {
    const { tenantId, environment } = principal;
    const { trips: shown, nextCursor } = await readTripPage({ trips, reads }, { tenantId, environment }, query);
    const now = clock.now();
    const listed = shown.map((trip) => ({
      ...describeTrip(trip, now),
      tripSummary: trip.details.tripSummary ?? null,
    }));
    return { trips: listed, nextCursor };
  },
});

const readTrip = defineRoute({
  id: "get_trip",
  method: "GET",
  path: "/api/trips/:tripId",
  tag: "escrow",
  summary: "Read a trip",
  description:
    "One of the tenant's trips: its money, claim, bookings, agent actions and transactions, and its full record, in pages.",
  scope: "escrow:read",
  params: TripPath,
  query: z.object(pageQuery(RecordCursor)),
  answers: { 200: { description: "The trip.", schema: TripAnswer.extend(TripRecordAnswer.shape) } },
  errors: { not_found: NO_SUCH_TRIP },
  async run({ principal, params, query, fail }, { stores, reads, clock }: TripRoutePorts) {
    const { trips, escrowBookings } = stores;
    const { tenantId, environment } = principal;
    const whole = await readWholeTrip({ trips, escrowBookings }, { tenantId, environment }, requireHash(params.tripId));
    if (whole === undefined) throw fail("not_found");
    const owner = { tenantId, environment, tripId: whole.trip.tripId };
    return { ...describeWhole(whole, clock.now()), ...(await readTripRecord(reads, owner, query)) };
  },
});

const readBooking = defineRoute({
  id: "read_booking",
  method: "GET",
  path: "/api/bookings/:bookingId",
  tag: "escrow",
  summary: "Read a booking in escrow",
  description: "One of the tenant's bookings in escrow, with the transaction of each step.",
  scope: "escrow:read",
  params: z.object({ bookingId: Hash.describe("0x and 64 hex digits, from reserve_booking") }),
  answers: { 200: { description: "The booking.", schema: BookingAnswer } },
  errors: {
    not_found: "This tenant has no booking in escrow with this id. GET /api/trips/{tripId} lists those of a trip.",
  },
  async run({ principal, params, fail }, { stores: { escrowBookings } }: Pick<TripRoutePorts, "stores">) {
    const { tenantId, environment } = principal;
    const found = await escrowBookings.find(tenantId, environment, requireHash(params.bookingId));
    if (found === undefined) throw fail("not_found");
    return describeBooking(found);
  },
});

/** Returns the free budget to the treasury wallet, once. */
const closeTripRoute = defineRoute({
  id: "post_trip_close",
  method: "POST",
  path: "/api/trips/:tripId/close",
  tag: "escrow",
  summary: "Close a trip",
  description:
    "Returns the free budget to the treasury wallet and waits until the chain confirms it. Nothing new can be reserved; existing bookings continue. A repeat returns the same answer.",
  scope: "escrow:spend",
  params: TripPath,
  answers: { 200: { description: "The trip is closed.", schema: TripClosed } },
  errors: {
    not_found: NO_SUCH_TRIP,
    conflict: "The trip cannot be closed in its current state.",
    in_progress: "Another step of the trip is in progress. Send the request again shortly.",
    sandbox_unavailable: "This deployment runs without the sandbox. Use a production key.",
  },
  async run({ principal: { tenantId, environment }, params, fail }, { portsFor }: ClosingPorts) {
    const ports = portsFor(environment);
    if (ports === undefined) throw fail("sandbox_unavailable");
    try {
      const trip = await closeTrip(ports, { tenantId, tripId: requireHash(params.tripId) });
      const given = trip.transactions.findLast(({ step }) => step === "close" || step === "release");
      return { ...describeTrip(trip, ports.clock.now()), txHash: given?.transactionHash ?? null };
    } catch (error) {
      throw toRouteFailure(error);
    }
  },
});

/** Codes of the escrow's steps, mapped to those of a resource route. */
const routeCodes: Readonly<Record<string, ServiceCode>> = {
  trip_not_funded: "conflict",
  step_reverted: "conflict",
  chain_not_available: "conflict",
  trip_in_progress: "in_progress",
  step_in_progress: "in_progress",
  settlement_stopped: "unavailable",
};

function toRouteFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  if (error.code === "trip_not_found") return new Failure("not_found", { detail: NO_SUCH_TRIP });
  const code = routeCodes[error.code];
  if (code === undefined) return error;
  return new Failure(code, {
    detail: error.message,
    ...(error.extra === undefined ? {} : { extra: error.extra }),
    ...(code === "conflict" ? {} : { retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS }),
    cause: error.cause,
  });
}

export const escrowRoutes = [listTrips, readTrip, readBooking, closeTripRoute];
