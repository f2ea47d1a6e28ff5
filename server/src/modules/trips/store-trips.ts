import { type QueryCreator, sql } from "kysely";
import { z } from "zod";
import type { Hex } from "../../domain/tokens.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Database, Queryable } from "../../platform/database/database.ts";
import { toWrite } from "../../platform/database/write-together.ts";
import type { Environment } from "../../ports/identity.ts";
import { nameText } from "./guest-text.ts";
import { createBookedTrips } from "./store-booked-trips.ts";
import {
  columns,
  getTrip,
  HexText,
  sealingContext,
  selectTrips,
  stepsOfTrip,
  type TripsOptions,
  toTrip,
} from "./store-trip-rows.ts";
import type { Trip, TripChange, Trips } from "./trips.ts";

/** Joins the caller's transaction when `db` is one. */
export function createTrips(options: TripsOptions): Trips {
  return {
    ...createForgetting(options),
    ...createReads(options),
    ...createBookedTrips(options),
    ...createLists(options),
    ...createWrites(options),
    ...createClaimGuards(options),
    ...createActions(options),
  };
}

function createReads(options: TripsOptions): Pick<Trips, "get" | "find" | "lock"> {
  return {
    get: (environment, tripId) => getTrip(options, environment, tripId),

    async find(tenantId, environment, tripId) {
      const trip = await getTrip(options, environment, tripId);
      return trip?.tenantId === tenantId ? trip : undefined;
    },

    lock(environment, tripId, tenantId) {
      const trip = selectLocked(options.db).where("environment", "=", environment).where("tripId", "=", tripId);
      return lockTrip(options, tenantId === undefined ? trip : trip.where("tenantId", "=", tenantId));
    },
  };
}

/**
 * A statement that waits for the lock gets the row as it is now, but reads other tables as they were when it began. The
 * steps of a trip change only together with its row, so that they are of now if the row has not changed meanwhile.
 */
const selectLocked = (db: Queryable) =>
  selectTrips(db)
    .select(
      sql<boolean>`ctid = (
        select ctid from trip as seen where seen.network = trip.network and seen.trip_id = trip.trip_id
      )`.as("isUnchanged"),
    )
    .forUpdate();

async function lockTrip(options: TripsOptions, query: ReturnType<typeof selectLocked>): Promise<Trip | undefined> {
  const locked = await query.executeTakeFirst();
  if (locked === undefined) return undefined;
  const { isUnchanged, ...row } = locked;
  return isUnchanged ? toTrip(row, options.vault) : await getTrip(options, row.environment, row.tripId);
}

function createLists({ db, vault }: TripsOptions): Pick<Trips, "list" | "listExpired"> {
  return {
    async list(tenantId, environment, { limit, after }) {
      const rows = await selectTrips(db)
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .$if(after !== undefined, (select) =>
          select.where(
            sql<boolean>`(created_at, trip_id) < (${after?.createdAt.toString()}::timestamptz, ${after?.tripId})`,
          ),
        )
        .orderBy("createdAt", "desc")
        .orderBy("tripId", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => toTrip(row, vault));
    },

    async listExpired({ environment, chain }, before, { limit, after }) {
      const rows = await selectTrips(db)
        .where("environment", "=", environment)
        .where("chain", "=", chain)
        .where("state", "in", ["funded", "closed"])
        .where(sql<boolean>`free_micro + held_micro > 0`)
        .where("expiresAt", "<=", sql<Temporal.Instant>`${before.toString()}::timestamptz`)
        .$if(after !== undefined, (select) =>
          select.where(
            sql<boolean>`(expires_at, trip_id) > (${after?.expiresAt.toString()}::timestamptz, ${after?.tripId})`,
          ),
        )
        .orderBy("expiresAt")
        .orderBy("tripId")
        .limit(limit)
        .execute();
      return rows.map((row) => toTrip(row, vault));
    },
  };
}

function createWrites({ db, vault, clock }: TripsOptions): Pick<Trips, "insert" | "change" | "prepareChange"> {
  const updateTrip = (
    creator: QueryCreator<Database>,
    environment: Environment,
    tripId: Hex,
    change: TripChange,
    at: string,
  ) =>
    creator
      .updateTable("trip")
      .set({ ...toColumns(change), updatedAt: at })
      .where("environment", "=", environment)
      .where("tripId", "=", tripId);
  return {
    prepareChange: (environment, tripId, change) =>
      toWrite(updateTrip(db, environment, tripId, change, clock.now().toString()).returning("tripId")),

    async insert(trip) {
      const { environment, tripId, guestEmail } = trip;
      const at = clock.now().toString();
      await db
        .insertInto("trip")
        .values({
          environment,
          chain: trip.chain,
          tripId,
          tenantId: trip.tenantId,
          userId: trip.userId,
          traceId: currentTraceId(),
          escrow: trip.escrow,
          funder: trip.funder,
          budgetMicro: trip.budget,
          expiresAt: trip.expiresAt.toString(),
          codeNonce: trip.codeNonce,
          requiresCode: trip.requiresCode,
          forGuest: guestEmail !== undefined || nameText(trip.details.guestName) !== undefined,
          details: JSON.stringify(trip.details),
          encryptedGuestEmail: guestEmail === undefined ? null : vault.encrypt(guestEmail, sealingContext(tripId)),
          mail: trip.mail,
          createdAt: at,
          updatedAt: at,
        })
        .execute();
      const stored = await getTrip({ db, vault }, environment, tripId);
      if (stored === undefined) throw new Error(`trip ${tripId} has vanished`);
      return stored;
    },

    async change(environment, tripId, change) {
      const at = clock.now().toString();
      const { transaction } = change;
      const update = (creator: QueryCreator<Database>) =>
        updateTrip(creator, environment, tripId, change, at)
          .returning(columns)
          .returning(stepsOfTrip.as("transactions"));
      if (transaction === undefined) return toTrip(await update(db).executeTakeFirstOrThrow(), vault);
      const { step, transactionHash } = transaction;
      const row = await db
        .with("changed", update)
        .with("taken", (creator) =>
          creator
            .insertInto("escrowStep")
            .values({ environment, tripId, bookingId: null, step, transactionHash, at, traceId: currentTraceId() }),
        )
        .selectFrom("changed")
        .selectAll()
        .executeTakeFirstOrThrow();
      // The statement reads the steps as they were before it.
      const trip = toTrip(row, vault);
      return { ...trip, transactions: [...trip.transactions, { step, transactionHash, at: trip.updatedAt }] };
    },
  };
}

/** Wrong codes are counted and lock the claim. */
function createClaimGuards({ db, clock }: TripsOptions): Pick<Trips, "countWrongCode" | "unlock"> {
  const now = (): string => clock.now().toString();

  return {
    async countWrongCode(environment, tripId, atMost) {
      const row = await db
        .updateTable("trip")
        .set((column) => ({ wrongCodes: column("wrongCodes", "+", 1), updatedAt: now() }))
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .where("wrongCodes", "<", atMost)
        .returning("wrongCodes")
        .executeTakeFirst();
      return row?.wrongCodes;
    },

    async unlock(tenantId, environment, tripId) {
      const row = await db
        .updateTable("trip")
        .set({ wrongCodes: 0, updatedAt: now() })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .returning("tripId")
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** The actions that agents logged for a trip. */
const Actions = z.array(
  z.object({
    actionId: HexText,
    actionType: z.string(),
    fee: z.string().transform(BigInt),
    transactionHash: HexText,
    at: z.string().transform((text) => Temporal.Instant.from(text)),
  }),
);

/** A column of a query over `trip`; newest first. */
const latestActions = (limit: number) => sql<unknown>`(
  select coalesce(jsonb_agg(jsonb_build_object('actionId', action_id, 'actionType', action_type, 'fee', fee_micro::text,
    'transactionHash', transaction_hash, 'at', at) order by at desc, action_id), '[]')
  from (
    select * from agent_action where agent_action.network = trip.network and agent_action.trip_id = trip.trip_id
    order by at desc, action_id limit ${limit}
  ) latest
)`;

function createActions({ db, vault, clock }: TripsOptions): Pick<Trips, "recordAction" | "findWithActions"> {
  return {
    async recordAction(environment, tripId, { actionId, actionType, fee, transactionHash }) {
      await db
        .insertInto("agentAction")
        .values({
          environment,
          actionId,
          tripId,
          actionType,
          feeMicro: fee,
          transactionHash,
          traceId: currentTraceId(),
          at: clock.now().toString(),
        })
        .execute();
    },

    async findWithActions(tenantId, environment, tripId, limit) {
      const found = await selectTrips(db)
        .select(latestActions(limit).as("actions"))
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .executeTakeFirst();
      if (found?.tenantId !== tenantId) return undefined;
      const { actions, ...row } = found;
      return { trip: toTrip(row, vault), actions: Actions.parse(actions) };
    },
  };
}

function createForgetting({ db, vault }: TripsOptions): Pick<Trips, "forgetGuests"> {
  return {
    async forgetGuests(tenantId, environment, isNamedIn) {
      const rows = await db
        .selectFrom("trip")
        .select(["tripId", "encryptedGuestEmail as email"])
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("encryptedGuestEmail", "is not", null)
        .where("mail", "<>", "pending")
        .execute();
      const named = rows.filter(({ tripId, email }) => isNamedIn(vault.decrypt(email ?? "", sealingContext(tripId))));
      if (named.length === 0) return;
      await db
        .updateTable("trip")
        .set({ encryptedGuestEmail: null })
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where(
          "tripId",
          "in",
          named.map(({ tripId }) => tripId),
        )
        .execute();
    },
  };
}

/** Sets only the members that are present, even if undefined. */
function toColumns(change: TripChange) {
  const { state, free, held, promised, vendorPaid, markupPaid, serviceFeePaid, actionFeePaid, refunded, mail } = change;
  return {
    state,
    freeMicro: free,
    heldMicro: held,
    promisedMicro: promised,
    vendorPaidMicro: vendorPaid,
    markupPaidMicro: markupPaid,
    serviceFeePaidMicro: serviceFeePaid,
    actionFeePaidMicro: actionFeePaid,
    refundedMicro: refunded,
    mail,
    ...("guestWallet" in change ? { guestWallet: change.guestWallet ?? null } : {}),
    ...("claimedAt" in change ? { claimedAt: change.claimedAt?.toString() ?? null } : {}),
    ...("pending" in change ? { pending: change.pending === undefined ? null : JSON.stringify(change.pending) } : {}),
  };
}
