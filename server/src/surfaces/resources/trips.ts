import { z } from "zod";
import { Failure, invalidInput, type ServiceCode } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { Ports } from "../../kernel/tool.ts";
import { validateArguments } from "../../kernel/validate.ts";
import { closeTrip } from "../../modules/escrow/close-trip.ts";
import { readHash } from "../../modules/escrow/input.ts";
import type { Trip } from "../../modules/escrow/trips.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Principal } from "../../ports/identity.ts";
import {
  type BookingAnswer,
  describeBooking,
  describeClaim,
  describeTrip,
  describeWhole,
  type TripAnswer,
  type TripClosed,
  TripSummary,
  type TripUnlocked,
} from "./trip-answers.ts";

const DEFAULT_LIMIT = 50;
const MAXIMUM_LIMIT = 200;
/** How many of a trip's agent actions and bookings are shown. */
const LATEST_ACTIONS = 50;
const LATEST_BOOKINGS = 200;

const CURSOR_MESSAGE = "must be the nextCursor of the page before";

export const TripsQuery = z.object({
  cursor: z
    .string()
    .refine((text) => readHash(text) !== undefined, { message: CURSOR_MESSAGE })
    .describe("nextCursor of the page before")
    .exactOptional(),
  limit: z
    .string()
    .refine((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAXIMUM_LIMIT, {
      message: `must be a whole number from 1 to ${MAXIMUM_LIMIT}`,
    })
    // It is a text only because it stands in a query.
    .meta({ type: "integer", minimum: 1, maximum: MAXIMUM_LIMIT, default: DEFAULT_LIMIT })
    .exactOptional(),
});

export const TripsAnswer = z.object({
  trips: z.array(TripSummary).describe("Newest first"),
  nextCursor: z.string().nullable().describe("null on the last page"),
});

export interface TripRoutePorts {
  stores: Pick<Stores, "trips" | "escrowBookings">;
  clock: Clock;
}

/** `GET /api/trips?cursor=&limit=`: the tenant's trips in the key's environment. */
export async function listTrips(
  { stores: { trips }, clock }: TripRoutePorts,
  { tenantId, environment }: Principal,
  given: URLSearchParams,
): Promise<z.output<typeof TripsAnswer>> {
  // Of a parameter that stands there twice the first counts.
  const query = TripsQuery.parse(validateArguments(TripsQuery, Object.fromEntries([...given].toReversed())));
  const limit = Number(query.limit ?? DEFAULT_LIMIT);
  const after = query.cursor === undefined ? undefined : await findById(trips, tenantId, environment, query.cursor);
  if (query.cursor !== undefined && after === undefined) {
    throw invalidInput([{ path: "cursor", message: CURSOR_MESSAGE }]);
  }
  const found = await trips.list(tenantId, environment, { limit: limit + 1, after });
  const shown = found.slice(0, limit);
  const now = clock.now();
  return {
    trips: shown.map((trip) => describeTrip(trip, now)),
    nextCursor: found.length > limit ? (shown.at(-1)?.tripId ?? null) : null,
  };
}

/** `GET /api/trips/{tripId}`: one of them, with everything that became of it. */
export async function readTrip(
  { stores: { trips, escrowBookings }, clock }: TripRoutePorts,
  { tenantId, environment }: Principal,
  tripId: string,
): Promise<z.output<typeof TripAnswer>> {
  const trip = await requireTrip(trips, tenantId, environment, tripId);
  const [bookings, actions] = await Promise.all([
    escrowBookings.listOfTrip(environment, trip.tripId),
    trips.listActions(environment, trip.tripId, LATEST_ACTIONS),
  ]);
  return describeWhole(trip, { bookings: bookings.slice(0, LATEST_BOOKINGS), actions, now: clock.now() });
}

/** `GET /api/bookings/{bookingId}`: a booking in escrow. */
export async function readBooking(
  { stores: { escrowBookings } }: Pick<TripRoutePorts, "stores">,
  { tenantId, environment }: Principal,
  bookingId: string,
): Promise<z.output<typeof BookingAnswer>> {
  const id = readHash(bookingId);
  const booking = id === undefined ? undefined : await escrowBookings.find(tenantId, environment, id);
  if (booking === undefined) {
    throw new Failure("not_found", {
      detail: "This tenant has no booking in escrow with this id. GET /api/trips/{tripId} lists those of a trip.",
    });
  }
  return describeBooking(booking);
}

/** `POST /api/trips/{tripId}/unlock`: wrong codes are counted from 0 again. */
export async function unlockTrip(
  { stores: { trips }, clock }: TripRoutePorts,
  { tenantId, environment }: Principal,
  tripId: string,
): Promise<z.output<typeof TripUnlocked>> {
  const trip = await requireTrip(trips, tenantId, environment, tripId);
  const why = whyUnclaimable(trip, clock.now());
  if (why !== undefined) throw new Failure("conflict", { detail: `${why}, so there is nothing to unlock.` });
  await trips.unlock(tenantId, environment, trip.tripId);
  const unlocked = await requireTrip(trips, tenantId, environment, tripId);
  return { tripId: trip.tripId, claim: describeClaim(unlocked) };
}

function whyUnclaimable(trip: Trip, now: Temporal.Instant): string | undefined {
  if (trip.guestWallet !== undefined) return "The trip has been claimed";
  if (trip.state === "failed") return "The trip was never funded";
  if (Temporal.Instant.compare(now, trip.expiresAt) >= 0) return "The trip has expired and cannot be claimed any more";
  if (trip.state === "closed") return "The trip has been closed";
  return undefined;
}

export type ClosingPorts = Pick<Ports, "chain" | "submission" | "stores" | "clock">;

/** `POST /api/trips/{tripId}/close`: what is free goes back to the treasury wallet, once. */
export async function closeTripNow(
  ports: ClosingPorts | undefined,
  { tenantId }: Principal,
  tripId: string,
): Promise<z.output<typeof TripClosed>> {
  const id = readHash(tripId);
  if (id === undefined) throw noSuchTrip();
  if (ports === undefined) {
    throw new Failure("sandbox_unavailable", {
      detail: "This deployment runs without the sandbox. Use a production key.",
    });
  }
  try {
    const trip = await closeTrip(ports, { tenantId, tripId: id });
    const given = trip.transactions.findLast(({ step }) => step === "close" || step === "release");
    return { ...describeTrip(trip, ports.clock.now()), txHash: given?.transactionHash ?? null };
  } catch (error) {
    throw toRouteFailure(error);
  }
}

/** What codes of the escrow's steps are on a resource route. */
const routeCodes: Readonly<Record<string, ServiceCode>> = {
  trip_not_funded: "conflict",
  step_reverted: "conflict",
  chain_not_available: "conflict",
  trip_in_progress: "in_progress",
  step_in_progress: "in_progress",
  settlement_stopped: "unavailable",
};
const RETRY_AFTER_SECONDS = 10;

function toRouteFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  if (error.code === "trip_not_found") return noSuchTrip();
  const code = routeCodes[error.code];
  if (code === undefined) return error;
  return new Failure(code, {
    detail: error.message,
    ...(error.extra === undefined ? {} : { extra: error.extra }),
    ...(code === "conflict" ? {} : { retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS }),
    cause: error.cause,
  });
}

async function requireTrip(
  trips: Stores["trips"],
  tenantId: string,
  environment: Environment,
  tripId: string,
): Promise<Trip> {
  const trip = await findById(trips, tenantId, environment, tripId);
  if (trip === undefined) throw noSuchTrip();
  return trip;
}

async function findById(trips: Stores["trips"], tenantId: string, environment: Environment, text: string) {
  const tripId: Hex | undefined = readHash(text);
  return tripId === undefined ? undefined : await trips.find(tenantId, environment, tripId);
}

function noSuchTrip(): Failure {
  return new Failure("not_found", { detail: "This tenant has no trip with this id. GET /api/trips lists them." });
}
