import { type InferResult, sql } from "kysely";
import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Trip } from "./trips.ts";

export const HexText = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]);

const Pending = z.object({ step: z.string(), transactionId: z.string() });

const Details = z.object({
  metadataCid: z.string().exactOptional(),
  metadataHash: HexText.exactOptional(),
  agentTokenId: z.string().exactOptional(),
  guestName: z.string().exactOptional(),
  buyerName: z.string().exactOptional(),
  tripSummary: z.string().exactOptional(),
  linkOrigin: z.string(),
});

const Steps = z.array(
  z.object({
    step: z.string(),
    transactionHash: HexText,
    at: z.string().transform((text) => Temporal.Instant.from(text)),
  }),
);

/** Transactions of the whole trip, oldest first. */
export const stepsOfTrip = sql<unknown>`(
  select coalesce(jsonb_agg(jsonb_build_object('step', step, 'transactionHash', transaction_hash, 'at', at) order by id), '[]')
  from escrow_step
  where escrow_step.network = trip.network and escrow_step.trip_id = trip.trip_id and escrow_step.booking_id is null
)`;

export const columns = [
  "trip.tripId",
  "trip.environment",
  "trip.chain",
  "trip.tenantId",
  "trip.userId",
  "trip.escrow",
  "trip.funder",
  "trip.state",
  "trip.budgetMicro as budget",
  "trip.freeMicro as free",
  "trip.heldMicro as held",
  "trip.promisedMicro as promised",
  "trip.vendorPaidMicro as vendorPaid",
  "trip.markupPaidMicro as markupPaid",
  "trip.serviceFeePaidMicro as serviceFeePaid",
  "trip.actionFeePaidMicro as actionFeePaid",
  "trip.refundedMicro as refunded",
  "trip.expiresAt",
  "trip.codeNonce",
  "trip.requiresCode",
  "trip.wrongCodes",
  "trip.guestWallet",
  "trip.claimedAt",
  "trip.pending",
  "trip.forGuest",
  "trip.details",
  "trip.encryptedGuestEmail",
  "trip.mail",
  "trip.createdAt",
  "trip.updatedAt",
] as const;

export const selectTrips = (db: Queryable) =>
  db.selectFrom("trip").select(columns).select(stepsOfTrip.as("transactions"));

export interface TripsOptions {
  db: Queryable;
  vault: Vault;
  clock: Clock;
}

export async function getTrip(
  { db, vault }: Pick<TripsOptions, "db" | "vault">,
  environment: Environment,
  tripId: Hex,
): Promise<Trip | undefined> {
  const row = await selectTrips(db)
    .where("environment", "=", environment)
    .where("tripId", "=", tripId)
    .executeTakeFirst();
  return row === undefined ? undefined : toTrip(row, vault);
}

export function sealingContext(tripId: Hex): string {
  return `trip_guest_email ${tripId}`;
}

type TripRow = InferResult<ReturnType<typeof selectTrips>>[number];

export function toTrip({ encryptedGuestEmail, ...row }: TripRow, vault: Vault): Trip {
  return {
    ...withoutNulls(row),
    pending: row.pending === null ? undefined : Pending.parse(row.pending),
    details: Details.parse(row.details),
    guestEmail:
      encryptedGuestEmail === null ? undefined : vault.decrypt(encryptedGuestEmail, sealingContext(row.tripId)),
    transactions: Steps.parse(row.transactions),
  };
}
