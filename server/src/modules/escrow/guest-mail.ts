import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ClaimKeys } from "../../ports/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mailer } from "../../ports/mailer.ts";
import {
  type EffectDefinition,
  type EffectRecord,
  type EffectStore,
  EffectWorker,
  failed,
  type Move,
  send,
  unknown,
} from "../effects/index.ts";
import type { Mailing } from "../outbox/index.ts";
import type { MailState, Trip } from "../trips/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import { guestLinkOf } from "./guest-link.ts";
import { composeGuestMail } from "./guest-mail-text.ts";
import type { GuestMails, TakenMail } from "./guest-mails.ts";

/**
 * Mails are effects (`modules/effects/effect.ts`) without a look-up: a mail server cannot be asked what it has taken, and a mail that
 * comes again under the same `Message-ID` is the same mail. A mail has one state until its end, `pending`, and is leased for a time, in
 * columns of its trip.
 */
export interface GuestMailPorts {
  stores: Stores;
  claimKeys: ClaimKeys;
  /** Undefined: the operator has no mail server. */
  mailer: Mailer | undefined;
  clock: Clock;
  mailing: Mailing;
}

export interface GuestMailRecord extends EffectRecord {
  state: MailState;
  trip: Pick<Trip, "environment" | "tripId">;
  /** This one included. */
  attempts: number;
}

/** Who takes a mail and dies with it keeps it from the others for so long; sending takes at most half of it. */
const LEASE = { minutes: 2 };
const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;
const FIRST_RETRY_SECONDS = 15;
const LONGEST_RETRY_SECONDS = 3_600;
/** From then on nobody waits for it any more. */
const GIVEN_UP_AFTER = { hours: 24 };

/**
 * Writes to the guest of a trip whose budget has arrived. True: the mail server took the mail. It never fails for a mail server's
 * sake: what takes longer than a caller waits goes on, and the reconciler tries again what failed.
 */
export async function sendGuestMail(
  ports: GuestMailPorts,
  { environment, tripId }: Pick<Trip, "environment" | "tripId">,
  waitMilliseconds = WAIT_MILLISECONDS,
): Promise<boolean> {
  const { mailer, clock, stores } = ports;
  if (mailer === undefined) return false;
  const over = new AbortController();
  const taken = await stores.guestMails.takeOne(environment, tripId, clock.now().add(LEASE));
  const sending =
    taken === undefined
      ? sentBySomebody(ports, { environment, tripId }, over.signal)
      : sendTaken({ ...ports, mailer }, taken);
  const timeUp = delay(waitMilliseconds, false, { signal: over.signal }).catch(() => false);
  try {
    // A database that is away leaves the mail as it is: the reconciler finds it.
    return await Promise.race([sending.catch(() => false), timeUp]);
  } finally {
    over.abort();
  }
}

async function sendTaken(ports: GuestMailPorts & { mailer: Mailer }, taken: TakenMail): Promise<boolean> {
  const { stores, clock } = ports;
  const worker = new EffectWorker<GuestMailRecord, Aggregates>(
    { stores, clock, definition: guestMailEffect(ports) },
    "guest-mail",
  );
  return (await worker.resume(toRecord(taken, clock))).kind === "done";
}

/** Another one of us may be at it. */
async function sentBySomebody(
  { stores }: GuestMailPorts,
  { environment, tripId }: Pick<Trip, "environment" | "tripId">,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const state = await stores.guestMails.stateOf(environment, tripId);
    if (state !== "pending") return state === "sent";
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}

export function guestMailEffect(
  ports: GuestMailPorts & { mailer: Mailer },
): EffectDefinition<GuestMailRecord, Aggregates> {
  return {
    done: "sent",
    store: ({ guestMails }) => guestMailStore(guestMails, ports.clock),
    quietMilliseconds: ({ attempts }) =>
      1_000 * Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS),
    recovery: { kind: "send_again", sendAgain: (record) => sendOne(ports, record) },
    neverSent: () => new Failure("mail_not_sent"),
    giveBack: async () => undefined,
    unstoredEnd: "unknown",
  };
}

async function sendOne(
  ports: GuestMailPorts & { mailer: Mailer },
  { trip: { environment, tripId }, attempts }: GuestMailRecord,
): Promise<Move<GuestMailRecord, Aggregates>> {
  const { stores, claimKeys, mailer, clock } = ports;
  const trip = await stores.trips.get(environment, tripId);
  const guestEmail = trip?.guestEmail;
  if (trip === undefined || guestEmail === undefined || !isOpen(trip, clock)) {
    return failed(new Failure("mail_refused", { cause: new Error("there is nothing to accept any more") }));
  }
  if (!(await mayLeave(ports, { trip, guestEmail, attempts }))) {
    // It has this end already, so that the one which follows finds nothing to end.
    await stores.guestMails.finish(environment, tripId, "kept");
    return failed(new Failure("mail_refused", { cause: new Error("it is kept") }));
  }
  return send<GuestMailRecord, Aggregates, void>({
    to: "pending",
    request: () => mailer.send(composeGuestMail(trip, guestEmail, guestLinkOf(claimKeys, trip))),
    answered: () => ({ kind: "done", end: async () => ({ result: undefined, apply: async () => undefined }) }),
    refused: (_record, failure) => {
      const isLast = Temporal.Instant.compare(trip.createdAt.add(GIVEN_UP_AFTER), clock.now()) <= 0;
      return isLast || failure.code === "mail_refused" ? failed(failure) : unknown(failure);
    },
  });
}

/** A mail that is sent again was counted before. */
async function mayLeave(
  { stores, mailing }: GuestMailPorts,
  { trip: { environment, tenantId }, guestEmail, attempts }: { trip: Trip; guestEmail: string; attempts: number },
): Promise<boolean> {
  const { kept, ...most } = mailing;
  if (environment === kept) return false;
  return attempts > 1 || (await stores.mailCounts.count({ environment, tenantId, recipient: guestEmail, ...most }));
}

function isOpen({ state, expiresAt }: Trip, clock: Clock): boolean {
  return state === "funded" && Temporal.Instant.compare(clock.now(), expiresAt) < 0;
}

function toRecord({ environment, tripId, attempts, traceId }: TakenMail, clock: Clock): GuestMailRecord {
  return {
    id: `${environment} ${tripId}`,
    environment,
    kind: "guest_mail",
    state: "pending",
    callId: undefined,
    traceId,
    result: undefined,
    failureCode: undefined,
    quietUntil: undefined,
    createdAt: clock.now(),
    trip: { environment, tripId },
    attempts,
  };
}

function readId(id: string): Pick<Trip, "environment" | "tripId"> {
  const [network, tripId] = id.split(" ");
  if ((network !== "sandbox" && network !== "production") || !isHex(tripId)) throw new Error(`${id} is no mail's id`);
  return { environment: network, tripId };
}

const isHex = (text: string | undefined): text is Hex => text?.startsWith("0x") === true;

/** The columns of a trip as the store of an effect. A lease has no name there, only an end: who lost it may still say that a mail went. */
export function guestMailStore(guestMails: GuestMails, clock: Clock): EffectStore<GuestMailRecord> {
  return {
    async get(id) {
      const { environment, tripId } = readId(id);
      const state = await guestMails.stateOf(environment, tripId);
      return state === undefined
        ? undefined
        : { ...toRecord({ environment, tripId, attempts: 1, traceId: null }, clock), state };
    },
    async advance(id, _guard, to) {
      const { environment, tripId } = readId(id);
      if (to === "sent" || to === "failed") await guestMails.finish(environment, tripId, to);
      return true;
    },
    // A lease is longer than a sending.
    touch: async () => true,
    async leave(id, _workerId, quietUntil) {
      const { environment, tripId } = readId(id);
      await guestMails.putBack(environment, tripId, quietUntil);
      return true;
    },
    async claimStale(_workerId, _staleSeconds, limit) {
      const taken = await guestMails.take(limit, clock.now().add(LEASE));
      return taken.map((mail) => toRecord(mail, clock));
    },
  };
}
