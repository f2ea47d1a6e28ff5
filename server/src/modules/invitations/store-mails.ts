import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { insertTripEntry, selectTrip } from "../trip-record/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "invitations.guestMails": GuestMails;
  }
}

/** The states of mails to guests, as their trips show them. */
interface GuestMails {
  /** In the transaction that ends the message. */
  finish(environment: Environment, tripId: Hex, end: keyof typeof ENDS): Promise<void>;
}

/** As the trip's record says it. */
const ENDS = {
  sent: "The claim link was mailed to the guest.",
  failed: "The claim link could not be mailed to the guest.",
  kept: "The mail with the claim link was kept and not sent to the guest.",
} as const;

export function createGuestMails(db: Queryable, clock: Clock): GuestMails {
  return {
    async finish(environment, tripId, end) {
      const at = clock.now();
      const trip = await db
        .updateTable("trip")
        .set({ mail: end, updatedAt: at.toString() })
        .where("environment", "=", environment)
        .where("tripId", "=", tripId)
        .where("mail", "=", "pending")
        .returning(["tenantId", "environment", "tripId"])
        .executeTakeFirst();
      if (trip === undefined) return;
      const note = { kind: "message", key: "guest_mail", text: ENDS[end], details: { mail: end } } as const;
      await insertTripEntry(selectTrip(trip), { ...note, userId: undefined, at }).execute(db);
    },
  };
}
