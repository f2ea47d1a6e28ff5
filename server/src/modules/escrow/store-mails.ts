import { sql } from "kysely";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { GuestMails, TakenMail } from "./guest-mails.ts";

/** Over columns of `trip`. */
export function createGuestMails(db: Queryable, clock: Clock): GuestMails {
  async function take(
    until: Temporal.Instant,
    limit: number,
    one?: { network: Environment; tripId: Hex },
  ): Promise<readonly TakenMail[]> {
    const now = clock.now().toString();
    let waiting = db
      .selectFrom("trip")
      .select(["network", "trip_id"])
      .where("mail", "=", "pending")
      .where("state", "in", ["funded", "closed"])
      .where((row) => row.or([row("mail_due", "is", null), row("mail_due", "<=", sql<Temporal.Instant>`${now}`)]));
    if (one !== undefined) waiting = waiting.where("network", "=", one.network).where("trip_id", "=", one.tripId);
    const rows = await db
      .with("waiting", () => waiting.orderBy("created_at").limit(limit).forUpdate().skipLocked())
      .updateTable("trip")
      .from("waiting")
      .set((row) => ({ mail_due: until.toString(), mail_attempts: row("trip.mail_attempts", "+", 1) }))
      .whereRef("trip.network", "=", "waiting.network")
      .whereRef("trip.trip_id", "=", "waiting.trip_id")
      .returning(["trip.network", "trip.trip_id", "trip.mail_attempts"])
      .execute();
    return rows.map(({ network, trip_id, mail_attempts }) => ({ network, tripId: trip_id, attempts: mail_attempts }));
  }

  return {
    take: (limit, until) => take(until, limit),

    async takeOne(network, tripId, until) {
      const [taken] = await take(until, 1, { network, tripId });
      return taken;
    },

    async stateOf(network, tripId) {
      const row = await db
        .selectFrom("trip")
        .select("mail")
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .executeTakeFirst();
      return row?.mail;
    },

    async finish(network, tripId, state) {
      await db
        .updateTable("trip")
        .set({ mail: state, updated_at: clock.now().toString() })
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .where("mail", "=", "pending")
        .execute();
    },

    async putBack(network, tripId, due) {
      await db
        .updateTable("trip")
        .set({ mail_due: due.toString() })
        .where("network", "=", network)
        .where("trip_id", "=", tripId)
        .where("mail", "=", "pending")
        .execute();
    },
  };
}
