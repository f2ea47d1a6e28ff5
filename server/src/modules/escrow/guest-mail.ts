import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { Stores } from "../../kernel/stores.ts";
import type { ClaimKeys } from "../../ports/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { guestLinkOf } from "./guest-link.ts";
import { composeGuestMail } from "./guest-mail-text.ts";
import type { TakenMail } from "./guest-mails.ts";
import type { Trip } from "./trips.ts";

export interface GuestMailPorts {
  stores: Pick<Stores, "trips" | "guestMails">;
  claimKeys: ClaimKeys;
  /** Undefined: the operator has no mail server. */
  mailer: Mailer | undefined;
  clock: Clock;
}

/** Who takes a mail and dies with it keeps it from the others for so long; sending takes at most half of it. */
export const GUEST_MAIL_LEASE = { minutes: 2 };
const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;
const FIRST_RETRY_SECONDS = 15;
const LONGEST_RETRY_SECONDS = 3_600;
/** From then on nobody waits for it any more. */
const GIVEN_UP_AFTER = { hours: 24 };

/**
 * Writes to the guest of a trip whose budget has arrived. True: the mail server took the mail. It never fails for a mail server's
 * sake: what takes longer than a caller waits goes on, and jobs/send-guest-mail.ts tries again what failed.
 */
export async function sendGuestMail(
  ports: GuestMailPorts,
  { network, tripId }: Pick<Trip, "network" | "tripId">,
  waitMilliseconds = WAIT_MILLISECONDS,
): Promise<boolean> {
  const { mailer, clock, stores } = ports;
  if (mailer === undefined) return false;
  const over = new AbortController();
  const taken = await stores.guestMails.takeOne(network, tripId, clock.now().add(GUEST_MAIL_LEASE));
  const sending =
    taken === undefined
      ? sentBySomebody(ports, { network, tripId }, over.signal)
      : deliverGuestMail({ ...ports, mailer }, taken).then(({ kind }) => kind === "sent");
  const timeUp = delay(waitMilliseconds, false, { signal: over.signal }).catch(() => false);
  try {
    // A database that is away leaves the mail as it is: the job finds it.
    return await Promise.race([sending.catch(() => false), timeUp]);
  } finally {
    over.abort();
  }
}

/** Another one of us may be at it. */
async function sentBySomebody(
  { stores }: GuestMailPorts,
  { network, tripId }: Pick<Trip, "network" | "tripId">,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const state = await stores.guestMails.stateOf(network, tripId);
    if (state !== "pending") return state === "sent";
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}

export type GuestMailOutcome =
  | { kind: "sent" }
  | { kind: "put_back"; cause: unknown }
  | { kind: "given_up"; cause: unknown };

/** Sends what was taken. A crash before the end is stored lets it be sent again, under the same message id. */
export async function deliverGuestMail(
  { stores, claimKeys, mailer, clock }: GuestMailPorts & { mailer: Mailer },
  { network, tripId, attempts }: TakenMail,
): Promise<GuestMailOutcome> {
  const { guestMails, trips } = stores;
  const trip = await trips.get(network, tripId);
  const guestEmail = trip?.guestEmail;
  if (trip === undefined || guestEmail === undefined || !isOpen(trip, clock)) {
    await guestMails.finish(network, tripId, "failed");
    return { kind: "given_up", cause: "there is nothing to accept any more" };
  }
  try {
    await mailer.send(composeGuestMail(trip, guestEmail, guestLinkOf(claimKeys, trip)));
  } catch (cause) {
    const now = clock.now();
    const isLast = Temporal.Instant.compare(trip.createdAt.add(GIVEN_UP_AFTER), now) <= 0;
    if (isLast || (cause instanceof Failure && cause.code === "mail_refused")) {
      await guestMails.finish(network, tripId, "failed");
      return { kind: "given_up", cause };
    }
    const seconds = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
    await guestMails.putBack(network, tripId, now.add({ seconds }));
    return { kind: "put_back", cause };
  }
  await guestMails.finish(network, tripId, "sent");
  return { kind: "sent" };
}

function isOpen({ state, expiresAt }: Trip, clock: Clock): boolean {
  return state === "funded" && Temporal.Instant.compare(clock.now(), expiresAt) < 0;
}
