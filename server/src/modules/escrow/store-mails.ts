import { sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { createTripRecords } from "../memory/index.ts";
import type { GuestMails, TakenMail } from "./guest-mails.ts";

/** As the trip's record says it. */
const ENDS = {
  sent: "The claim link was mailed to the guest.",
  failed: "The claim link could not be mailed to the guest.",
  kept: "The mail with the claim link was kept and not sent to the guest.",
} as const;

/** Over columns of `trip`. */
export function createGuestMails(db: Queryable, clock: Clock): GuestMails {
  async function take(
    until: Temporal.Instant,
    limit: number,
    one?: { environment: Environment; tripId: Hex },
  ): Promise<readonly TakenMail[]> {
    const now = clock.now().toString();
    let waiting = db
      .selectFrom("trip")
      .select(["environment", "tripId"])
      .where("mail", "=", "pending")
      .where("state", "in", ["funded", "closed"])
      .where((row) => row.or([row("mailDue", "is", null), row("mailDue", "<=", sql<Temporal.Instant>`${now}`)]));
    if (one !== undefined)
      waiting = waiting.where("environment", "=", one.environment).where("tripId", "=", one.tripId);
    return await db
      .with("waiting", () => waiting.orderBy("createdAt").limit(limit).forUpdate().skipLocked())
      .updateTable("trip")
      .from("waiting")
      .set((row) => ({ mailDue: until.toString(), mailAttempts: row("trip.mailAttempts", "+", 1) }))
      .whereRef("trip.environment", "=", "waiting.environment")
      .whereRef("trip.tripId", "=", "waiting.tripId")
      .returning(["trip.environment", "trip.tripId", "trip.mailAttempts as attempts", "trip.traceId"])
      .execute();
  }

  return {
    take: (limit, until) => take(until, limit),

    async takeOne(environment, tripId, until) {
      const [taken] = await take(until, 1, { environment, tripId });
      return taken;
    },

    async stateOf(environment, tripId) {
      const row = await db
        .selectFrom("trip")
        .select("mail")
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .executeTakeFirst();
      return row?.mail;
    },

    async finish(environment, tripId, state) {
      await (db.isTransaction ? finish(db) : db.transaction().execute(finish));

      async function finish(transaction: Queryable): Promise<void> {
        const at = clock.now();
        const trip = await transaction
          .updateTable("trip")
          .set({ mail: state, updatedAt: at.toString() })
          .where("environment", "=", environment)
          .where("tripId", "=", tripId)
          .where("mail", "=", "pending")
          .returning(["tenantId", "environment", "tripId"])
          .executeTakeFirst();
        if (trip === undefined) return;
        const note = { kind: "message", key: "guest_mail", text: ENDS[state], details: { mail: state } } as const;
        await createTripRecords(transaction).append(trip, { ...note, userId: undefined, at });
      }
    },

    async putBack(environment, tripId, due) {
      await db
        .updateTable("trip")
        .set({ mailDue: due.toString() })
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .where("mail", "=", "pending")
        .execute();
    },
  };
}
