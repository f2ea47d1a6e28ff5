import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { TripTable } from "../../platform/database/tables/escrow-tables.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import type { AgentAction, Trip, TripChange, Trips } from "./trips.ts";

const HexText = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]*$/)]);

const Pending = z.object({ step: z.enum(["claim", "close", "release"]), transactionId: z.string() });

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
    step: z.enum(["fund", "claim", "log", "close", "release"]),
    transactionHash: HexText,
    at: z.string().transform((text) => Temporal.Instant.from(text)),
  }),
);

/** Transactions of the trip as a whole, oldest first. */
const stepsOfTrip = sql<unknown>`(
  select coalesce(jsonb_agg(jsonb_build_object('step', step, 'transactionHash', transaction_hash, 'at', at) order by id), '[]')
  from escrow_step
  where escrow_step.network = trip.network and escrow_step.trip_id = trip.trip_id and escrow_step.booking_id is null
)`;

/** Joins the caller's transaction when `db` is one. */
export function createTrips({ db, vault, clock }: { db: Queryable; vault: Vault; clock: Clock }): Trips {
  const now = (): string => clock.now().toString();
  const selectTrips = () => db.selectFrom("trip").selectAll("trip").select(stepsOfTrip.as("transactions"));

  async function get(network: Environment, tripId: Hex): Promise<Trip | undefined> {
    const row = await selectTrips().where("network", "=", network).where("trip_id", "=", tripId).executeTakeFirst();
    return row === undefined ? undefined : toTrip(row, vault);
  }

  return {
    async insert(trip) {
      const { network, tripId, guestEmail } = trip;
      const at = now();
      await db
        .insertInto("trip")
        .values({
          network,
          trip_id: tripId,
          tenant_id: trip.tenantId,
          user_id: trip.userId,
          escrow: trip.escrow,
          funder: trip.funder,
          budget_micro: trip.budget,
          expires_at: trip.expiresAt.toString(),
          code_nonce: trip.codeNonce,
          requires_code: trip.requiresCode,
          details: JSON.stringify(trip.details),
          encrypted_guest_email: guestEmail === undefined ? null : vault.encrypt(guestEmail, contextOf(tripId)),
          mail: trip.mail,
          created_at: at,
          updated_at: at,
        })
        .execute();
      const stored = await get(network, tripId);
      if (stored === undefined) throw new Error(`trip ${tripId} has vanished`);
      return stored;
    },

    get,

    async find(tenantId, network, tripId) {
      const trip = await get(network, tripId);
      return trip?.tenantId === tenantId ? trip : undefined;
    },

    async lock(network, tripId) {
      const row = await db
        .selectFrom("trip")
        .select("trip_id")
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .forUpdate()
        .executeTakeFirst();
      // A statement of its own: one that has waited for the lock would read other tables as they were before.
      return row === undefined ? undefined : await get(network, tripId);
    },

    async change(network, tripId, change) {
      const at = now();
      await db
        .updateTable("trip")
        .set({ ...toColumns(change), updated_at: at })
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .execute();
      if (change.transaction === undefined) return;
      const { step, transactionHash } = change.transaction;
      await db
        .insertInto("escrow_step")
        .values({ network, trip_id: tripId, booking_id: null, step, transaction_hash: transactionHash, at })
        .execute();
    },

    async countWrongCode(network, tripId, atMost) {
      const row = await db
        .updateTable("trip")
        .set((column) => ({ wrong_codes: column("wrong_codes", "+", 1), updated_at: now() }))
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .where("wrong_codes", "<", atMost)
        .returning("wrong_codes")
        .executeTakeFirst();
      return row?.wrong_codes;
    },

    async unlock(tenantId, network, tripId) {
      const row = await db
        .updateTable("trip")
        .set({ wrong_codes: 0, updated_at: now() })
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .returning("trip_id")
        .executeTakeFirst();
      return row !== undefined;
    },

    async recordAction(network, tripId, { actionId, actionType, fee, transactionHash }) {
      await db
        .insertInto("agent_action")
        .values({
          network,
          action_id: actionId,
          trip_id: tripId,
          action_type: actionType,
          fee_micro: fee,
          transaction_hash: transactionHash,
          at: now(),
        })
        .execute();
    },

    async listActions(network, tripId, limit) {
      const rows = await db
        .selectFrom("agent_action")
        .selectAll()
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .orderBy("at", "desc")
        .orderBy("action_id")
        .limit(limit)
        .execute();
      return rows.map(
        (row): AgentAction => ({
          actionId: row.action_id,
          actionType: row.action_type,
          fee: row.fee_micro,
          transactionHash: row.transaction_hash,
          at: row.at,
        }),
      );
    },

    async list(tenantId, network, { limit, after }) {
      const rows = await selectTrips()
        .where("tenant_id", "=", tenantId)
        .where("network", "=", network)
        .$if(after !== undefined, (select) =>
          select.where(
            sql<boolean>`(created_at, trip_id) < (${after?.createdAt.toString()}::timestamptz, ${after?.tripId})`,
          ),
        )
        .orderBy("created_at", "desc")
        .orderBy("trip_id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => toTrip(row, vault));
    },

    async listExpired(network, before, { limit, after }) {
      const rows = await selectTrips()
        .where("network", "=", network)
        .where("state", "in", ["funded", "closed"])
        .where(sql<boolean>`free_micro + held_micro > 0`)
        .where("expires_at", "<=", sql<Temporal.Instant>`${before.toString()}::timestamptz`)
        .$if(after !== undefined, (select) =>
          select.where(
            sql<boolean>`(expires_at, trip_id) > (${after?.expiresAt.toString()}::timestamptz, ${after?.tripId})`,
          ),
        )
        .orderBy("expires_at")
        .orderBy("trip_id")
        .limit(limit)
        .execute();
      return rows.map((row) => toTrip(row, vault));
    },
  };
}

function contextOf(tripId: Hex): string {
  return `trip_guest_email ${tripId}`;
}

/** Only what is there, but that also when it is undefined. */
function toColumns(change: TripChange) {
  const { state, free, held, promised, vendorPaid, markupPaid, serviceFeePaid, actionFeePaid, refunded, mail } = change;
  return {
    ...(state === undefined ? {} : { state }),
    ...(free === undefined ? {} : { free_micro: free }),
    ...(held === undefined ? {} : { held_micro: held }),
    ...(promised === undefined ? {} : { promised_micro: promised }),
    ...(vendorPaid === undefined ? {} : { vendor_paid_micro: vendorPaid }),
    ...(markupPaid === undefined ? {} : { markup_paid_micro: markupPaid }),
    ...(serviceFeePaid === undefined ? {} : { service_fee_paid_micro: serviceFeePaid }),
    ...(actionFeePaid === undefined ? {} : { action_fee_paid_micro: actionFeePaid }),
    ...(refunded === undefined ? {} : { refunded_micro: refunded }),
    ...(mail === undefined ? {} : { mail }),
    ...("guestWallet" in change ? { guest_wallet: change.guestWallet ?? null } : {}),
    ...("claimedAt" in change ? { claimed_at: change.claimedAt?.toString() ?? null } : {}),
    ...("pending" in change ? { pending: change.pending === undefined ? null : JSON.stringify(change.pending) } : {}),
  };
}

function toTrip(row: Selectable<TripTable> & { transactions: unknown }, vault: Vault): Trip {
  return {
    tripId: row.trip_id,
    network: row.network,
    tenantId: row.tenant_id,
    userId: row.user_id,
    escrow: row.escrow,
    funder: row.funder,
    state: row.state,
    budget: row.budget_micro,
    free: row.free_micro,
    held: row.held_micro,
    promised: row.promised_micro,
    vendorPaid: row.vendor_paid_micro,
    markupPaid: row.markup_paid_micro,
    serviceFeePaid: row.service_fee_paid_micro,
    actionFeePaid: row.action_fee_paid_micro,
    refunded: row.refunded_micro,
    expiresAt: row.expires_at,
    codeNonce: row.code_nonce,
    requiresCode: row.requires_code,
    wrongCodes: row.wrong_codes,
    guestWallet: row.guest_wallet ?? undefined,
    claimedAt: row.claimed_at ?? undefined,
    pending: row.pending === null ? undefined : Pending.parse(row.pending),
    details: Details.parse(row.details),
    guestEmail:
      row.encrypted_guest_email === null ? undefined : vault.decrypt(row.encrypted_guest_email, contextOf(row.trip_id)),
    mail: row.mail,
    transactions: Steps.parse(row.transactions),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
