import type { Hex } from "../../domain/tokens.ts";
import type { ClaimKeys } from "../../ports/chain/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import { type MessageKind, type OutboxPorts, sendNow } from "../outbox/index.ts";
import type { Trip } from "../trips/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import { buildTripGuestLink } from "./guest-link.ts";
import { composeGuestMail } from "./guest-mail-text.ts";

export interface GuestMailPorts extends OutboxPorts {
  stores: Stores;
  claimKeys: ClaimKeys;
}

type MailedTrip = Pick<Trip, "environment" | "tripId" | "tenantId">;

const KIND = "guest_mail";
/** After this nobody waits for it any more. */
const GIVEN_UP_AFTER = { hours: 24 };

const reasonFor = ({ environment, tripId, tenantId }: MailedTrip) => ({
  tenantId,
  environment,
  kind: KIND,
  about: [tripId],
});

/** In the transaction that stores the budget's arrival. */
export async function storeGuestMail({ messages }: Pick<Aggregates, "messages">, trip: Trip): Promise<void> {
  if (trip.mail !== "pending") return;
  const expiresAt = trip.createdAt.add(GIVEN_UP_AFTER);
  await messages.insert({ ...reasonFor(trip), recordId: trip.tripId, carrier: "mail", expiresAt });
}

/**
 * Sends the mail to the guest of a funded trip. True if the mail server accepted it. A mail server's error never fails
 * the call: sending continues after the caller's wait.
 */
export async function sendGuestMail(
  ports: GuestMailPorts,
  trip: MailedTrip,
  waitMilliseconds?: number,
): Promise<boolean> {
  const stored = await ports.stores.messages.findLive(reasonFor(trip));
  return stored !== undefined && (await sendNow(ports, guestMailKind(ports), stored, waitMilliseconds)) === "sent";
}

/** The mail's state is shown with the trip, and its end goes into the trip's record. */
export function guestMailKind({
  stores,
  claimKeys,
  clock,
}: {
  stores: Pick<Stores, "trips">;
  claimKeys: ClaimKeys;
  clock: Clock;
}): MessageKind<Aggregates> {
  return {
    name: KIND,
    kinds: [KIND],
    async compose({ environment, recordId }) {
      const trip = isTripId(recordId) ? await stores.trips.get(environment, recordId) : undefined;
      if (trip?.guestEmail === undefined || !isOpen(trip, clock)) return undefined;
      return composeGuestMail(trip, trip.guestEmail, buildTripGuestLink(claimKeys, trip));
    },
    key: ({ recordId }) => `guest-mail.${recordId}`,
    async ended({ guestMails }, { environment, recordId }, end) {
      if (isTripId(recordId)) await guestMails.finish(environment, recordId, end);
    },
  };
}

const isTripId = (text: string | undefined): text is Hex => text?.startsWith("0x") === true;

function isOpen({ state, expiresAt }: Trip, clock: Clock): boolean {
  return state === "funded" && Temporal.Instant.compare(clock.now(), expiresAt) < 0;
}
