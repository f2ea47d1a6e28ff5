import { z } from "zod";
import { invalidInput } from "../../../domain/errors.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { CURSOR_MESSAGE, readPage } from "../../../kernel/contracts/page.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Reads, Stores } from "../context.ts";
import { readHash, requireHash } from "../input.ts";
import type { WholeTrip } from "./trip-answers.ts";

/** The owner of the trips. */
interface Owner {
  tenantId: string;
  environment: Environment;
}

/** The maximum of a trip's agent actions shown. */
const LATEST_ACTIONS = 50;

export const TripCursor = z.string().refine((text) => readHash(text) !== undefined, { message: CURSOR_MESSAGE });

/** Newest first. `cursor` was validated by `TripCursor`. */
export async function readTripPage(
  { trips, reads }: Pick<Stores, "trips"> & { reads: Reads },
  { tenantId, environment }: Owner,
  query: { cursor?: string | undefined; limit?: string | number },
) {
  const after =
    query.cursor === undefined ? undefined : await trips.find(tenantId, environment, requireHash(query.cursor));
  if (query.cursor !== undefined && after === undefined) {
    throw invalidInput([{ path: "cursor", message: CURSOR_MESSAGE }]);
  }
  const { shown, nextCursor } = await readPage(
    query,
    (limit) => reads(tenantId, (aggregates) => aggregates.trips.list(tenantId, environment, { limit, after })),
    ({ tripId }) => tripId,
  );
  return { trips: shown, nextCursor };
}

/** Undefined if the tenant has no such trip. */
export async function readWholeTrip(
  { trips, escrowBookings }: Pick<Stores, "trips" | "escrowBookings">,
  { tenantId, environment }: Owner,
  tripId: Hex,
): Promise<WholeTrip | undefined> {
  const found = await trips.findWithActions(tenantId, environment, tripId, LATEST_ACTIONS);
  return found && { ...found, bookings: await escrowBookings.listOfTrip(environment, tripId) };
}
