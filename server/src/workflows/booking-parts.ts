import { z } from "zod";
import { parseDecimal } from "../domain/money.ts";
import type { Cover, PurposeCall } from "../kernel/contracts/call-plan.ts";
import { type ReservationEnd, StepFailure } from "../kernel/contracts/workflow.ts";
import { costInUsdc, reservationBound } from "./budget.ts";
import type { Overlaps } from "./overlaps.ts";
import type { Answer, Args, Steps } from "./tools.ts";

/** The chain's clock is ahead of ours, or the tenant's limits allow the run to cancel a booking but not to release it. */
const NOT_RELEASED: ReadonlySet<string> = new Set(["trip_expired", "trip_closed", "spend_limit_exceeded"]);

/** Parts shared by the workflows. */

export const Approval = z.object({ status: z.enum(["approved", "rejected"]) });
const Claimed = z.object({ status: z.enum(["claimed", "expired"]) });

/** As both workflows describe it. */
export const guestClaim = {
  id: "guest_claim",
  description:
    "The guest claims the trip, on the guestLink page or with guest_claim_link, and the service resolves the pause; expired ends the run.",
  resolvedBy: "service",
  resolution: Claimed,
} as const;

const UNCLAIMED =
  "The guest has not claimed the trip yet. They open guestLink from prefund_trip, with their own wallet. It was emailed to them only if emailSent says so; otherwise pass it on. The run continues by itself afterwards.";
/** Nobody else would ever open the link. */
const UNCLAIMED_OWN =
  "The trip was prefunded for nobody by name, and a claim is missing. If it is your own, claim it now: guest_claim_link with guestLink and codeNonce from prefund_trip (unlock_claim returns the link again) and, as guestWallet, your treasury wallet's address from check_treasury. If a guest travels, pass guestLink on to them. The run continues by itself afterwards.";
const CLAIM_HOURS = 72;
const APPROVAL_HOURS = 24;

/** Waits until the guest has claimed the trip. Returns its free budget before that, and when it expires. */
export async function waitForClaim(
  { call, pause }: Steps,
  tripId: string,
): Promise<Pick<Answer<"read_trip">, "freeUsdc" | "expiresAt">> {
  const trip = await call("read_trip", { tripId });
  if (trip.state !== "funded") {
    throw new StepFailure("trip_not_ready", `The trip is ${trip.state}; a run needs one that is funded.`);
  }
  const { freeUsdc, expiresAt } = trip;
  if (trip.claim.guestWallet !== null) return { freeUsdc, expiresAt };
  const { status } = await pause({
    step: "guest_claim",
    reason: isForNobody(trip) ? UNCLAIMED_OWN : UNCLAIMED,
    resolution: Claimed,
    by: "service",
    event: { name: "trip_claimed", subject: trip.tripId },
    timeoutHours: CLAIM_HOURS,
    onTimeout: { status: "expired" },
    needsOpenTrip: true,
  });
  if (status === "expired") throw new StepFailure("claim_expired", "The guest did not claim the trip in time.");
  return { freeUsdc, expiresAt };
}

const isForNobody = ({ guestEmail, details, claim }: Answer<"read_trip">): boolean =>
  guestEmail === null && details.guestName === undefined && !claim.requiresCode;

/** A call that books. */
type BookingCall = Args<"preview_call">;

/** A bookable candidate. */
export interface Candidate<Choice, Bookable> {
  choice: Choice;
  /** As the policy judges it in a few words, for the record. */
  offer: Args<"check_policy">["offer"];
  shown: object;
  /** The object to book, such as a binding quote, and the call that books it. Undefined if it is gone, or costs more than was judged. */
  prepare(): Promise<{ bookable: Bookable; booking: BookingCall } | undefined>;
  /** Holds it while a person decides; false if it is gone. Undefined if it cannot be held. */
  hold?: (() => Promise<boolean>) | undefined;
  /** Tried if the policy refuses the booking of this one, such as refundable fares. */
  alternatives?: readonly Candidate<Choice, Bookable>[];
}

type Verdict = Answer<"check_policy">;
type Problem = NonNullable<Answer<"preview_call">["problem"]>;

/** Refusals of one candidate: another one may pass. */
const REFUSED: ReadonlySet<string> = new Set(["policy_denied", "approval_rejected"]);

/**
 * Chooses among candidates by the policy of the run's input and the one that the tenant enforces, with all known facts
 * of the booking: the first that passes by itself; else the first that a person approves. Undefined if all bookable
 * ones are gone.
 */
export async function chooseWithinPolicy<Choice, Bookable>(
  steps: Steps,
  policyId: string,
  candidates: readonly Candidate<Choice, Bookable>[],
  /**
   * `isReserved`: the escrow already holds the money for it. `cover` pays in place of the wallet. `warn` receives the
   * preview's warnings about the chosen one. `overlaps` asks about other orders of the travelers; undefined in runs of
   * earlier versions.
   */
  {
    isReserved,
    cover,
    warn,
    overlaps,
  }: {
    isReserved: boolean;
    cover: Cover | undefined;
    warn?: (warnings: readonly string[]) => void;
    overlaps?: Overlaps | undefined;
  },
): Promise<Bookable | undefined> {
  const toApprove: (Judged<Choice, Bookable> & { prepared: Prepared<Bookable>; preview: Answer<"preview_call"> })[] =
    [];
  const doubtful: Judged<Choice, Bookable>[] = [];
  const refusals: Problem[] = [];
  let isGone = false;
  const pass = async (judged: Judged<Choice, Bookable>): Promise<Bookable | undefined> => {
    const prepared = await judged.candidate.prepare();
    isGone ||= prepared === undefined;
    if (prepared === undefined) return undefined;
    const preview = await steps.call("preview_call", prepared.booking, { policyId, cover });
    const { problem, warnings } = preview;
    if (problem?.code === "approval_required") toApprove.push({ ...judged, prepared, preview });
    // Any other problem does not depend on the candidate, and the booking itself reports it.
    else if (problem === null || !REFUSED.has(problem.code)) {
      await overlaps?.confirm(preview, { isReserved });
      warn?.(warnings);
      return prepared.bookable;
    } else refusals.push(problem);
    return undefined;
  };
  const alternatives: Candidate<Choice, Bookable>[] = [];
  const judge = async (candidate: Candidate<Choice, Bookable>): Promise<Bookable | undefined> => {
    const verdict = await steps.call("check_policy", { policyId, offer: candidate.offer });
    if (verdict.decision === "require_approval") doubtful.push({ candidate, verdict });
    if (verdict.decision === "require_approval" || verdict.decision === "deny") return undefined;
    alternatives.push(...(candidate.alternatives ?? []));
    return await pass({ candidate, verdict });
  };
  for (const candidate of candidates) {
    const passed = await judge(candidate);
    if (passed !== undefined) return passed;
  }
  for (const candidate of alternatives.toSorted((one, other) => one.offer.priceUsd - other.offer.priceUsd)) {
    const passed = await judge(candidate);
    if (passed !== undefined) return passed;
  }
  for (const judged of doubtful) {
    if (toApprove.length > 0) break;
    const passed = await pass(judged);
    if (passed !== undefined) return passed;
  }
  const [first] = toApprove;
  if (first === undefined && isGone) return undefined;
  if (first === undefined) throw sayRefused(policyId, refusals);
  const { candidate, verdict, prepared, preview } = first;
  const { warnings } = preview;
  await overlaps?.confirm(preview, { isReserved });
  if ((await candidate.hold?.()) === false) return undefined;
  const shown = {
    offer: candidate.shown,
    verdict: shownVerdict(verdict),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  await steps.approve({ step: "approval", ...prepared.booking, policyId, shown, needsOpenTrip: !isReserved, cover });
  warn?.(warnings);
  return prepared.bookable;
}

interface Judged<Choice, Bookable> {
  candidate: Candidate<Choice, Bookable>;
  verdict: Verdict;
}
type Prepared<Bookable> = NonNullable<Awaited<ReturnType<Candidate<unknown, Bookable>["prepare"]>>>;

/** As the approver is shown it. */
function shownVerdict({ decision, policyId, version, violations }: Verdict) {
  return { decision, policyId, version, violations };
}

const denied = (policyId: string) =>
  new StepFailure("policy_denied", `The policy ${policyId} denies every offer found.`);

/** By the policy that denied the last one: the run's own or the one that the tenant enforces. */
function sayRefused(policyId: string, refusals: readonly Problem[]): StepFailure {
  const last = refusals.at(-1);
  const rejected = refusals.find(({ code }) => code === "approval_rejected");
  if (rejected !== undefined) {
    return new StepFailure("approval_rejected", rejected.detail);
  }
  return denied(typeof last?.policyId === "string" ? last.policyId : policyId);
}

/** For runs of earlier versions: `check_policy` alone judges. */
export async function chooseByVerdict<Choice>(
  { call, pause }: Steps,
  policyId: string,
  choices: readonly Pick<Candidate<Choice, unknown>, "choice" | "offer" | "shown">[],
): Promise<Choice> {
  let toApprove: { choice: Choice; shown: object; verdict: Verdict } | undefined;
  for (const { choice, offer, shown } of choices) {
    const verdict = await call("check_policy", { policyId, offer });
    if (verdict.decision === "allow" || verdict.decision === "warn") return choice;
    if (verdict.decision === "require_approval") toApprove ??= { choice, shown, verdict };
  }
  if (toApprove === undefined) throw denied(policyId);
  const { choice, shown, verdict } = toApprove;
  const { status } = await pause({
    step: "approval",
    reason: `The policy ${verdict.policyId} requires a person's approval of this offer.`,
    resolution: Approval,
    by: "person",
    shown: { offer: shown, verdict: shownVerdict(verdict) },
    timeoutHours: APPROVAL_HOURS,
    onTimeout: { status: "rejected" },
  });
  if (status === "rejected") throw new StepFailure("approval_rejected", "The offer was not approved.");
  return choice;
}

export const Retry = z.object({ status: z.enum(["retry", "cancelled"]) });

/** The maximum of candidates tried if one is gone or has another price. */
const MOST_TRIES = 3;
const DECISION_HOURS = 24;

/** A booking's price limit and its payer. */
export interface Means {
  /** Undefined if nothing is reserved yet. */
  bound: string | undefined;
  /** The highest price that can be paid. Undefined before a reservation in runs of earlier versions. */
  most: string | undefined;
  /** Undefined if the wallet pays until the settlement, as in runs of earlier versions. */
  cover: Cover | undefined;
}

/** The booking steps of one kind of candidate. */
interface Attempt<Choice, Booked> {
  /** Undefined if nothing within the bound that passes the policy was found. */
  choose(means: Means): Promise<Choice | undefined>;
  /** The call that books it. */
  booking(choice: Choice): PurposeCall;
  /** Makes that call. Undefined if it is gone, or its price has changed. */
  book(choice: Choice, cover: Cover | undefined): Promise<Booked | undefined>;
  /** If nothing could be booked: the pause that asks what to do, and the run's end if nobody wants another search. */
  gone: { step: string; reason: string; code: string; detail: string };
}

interface Budget {
  tripId: string;
  /** Its free budget when the run began; undefined in runs of earlier versions, whose wallet pays until the settlement. */
  freeUsdc: string | undefined;
  /** False in runs of earlier versions, whose reservations go to the wallet if they fail. */
  isReturned: boolean;
  /** False in runs of earlier versions, which ask people about offers that the trip cannot pay for. */
  isWithinBudget: boolean;
}

/**
 * Reserves an upper bound of the first choice's price in the escrow, as far as the trip can; within it, other
 * candidates are tried if that one is gone.
 */
export async function reserveAndBook<Choice extends { totalAmount: string; totalUsdc?: string | undefined }, Booked>(
  steps: Steps,
  budget: Budget,
  { choose, booking, book, gone }: Attempt<Choice, Booked>,
): Promise<{ bookingId: string; booked: Booked }> {
  const { call, undo, pause } = steps;
  const { tripId, freeUsdc } = budget;
  const coverBy = (bookingId?: string): Cover | undefined =>
    freeUsdc === undefined ? undefined : { tripId, ...(bookingId === undefined ? {} : { bookingId }) };
  let reserved: { bookingId: string; bound: string } | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const most = reserved?.bound ?? (budget.isWithinBudget ? freeUsdc : undefined);
    const choice = await choose({ bound: reserved?.bound, most, cover: coverBy(reserved?.bookingId) });
    if (choice !== undefined) {
      if (reserved === undefined) {
        const bound = reservationBound(costInUsdc(choice), freeUsdc);
        const { bookingId } = await call(
          "reserve_booking",
          { tripId, upperBoundUsdc: bound },
          {
            purpose: booking(choice),
          },
        );
        reserved = { bookingId, bound };
        undo(() => endReservation(steps, { tripId, bookingId }, budget));
      }
      const booked = await book(choice, coverBy(reserved.bookingId));
      if (booked !== undefined) return { bookingId: reserved.bookingId, booked };
    }
    if (attempt % MOST_TRIES !== 0) continue;
    const { status } = await pause({
      step: gone.step,
      reason: gone.reason,
      resolution: Retry,
      by: "caller",
      timeoutHours: DECISION_HOURS,
      onTimeout: { status: "cancelled" },
      needsOpenTrip: reserved === undefined,
    });
    if (status === "cancelled") throw new StepFailure(gone.code, gone.detail);
  }
}

/** Undefined if the work fails with one of these codes. */
export async function unless<T>(codes: ReadonlySet<string>, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StepFailure && codes.has(error.code)) return undefined;
    throw error;
  }
}

/** The settlement in the result of a run. */
export function describeSettled(settled: Answer<"settle_booking">) {
  const { txHash, vendorPaidUsdc, refundedUsdc, walletReturn, tripFreeUsdc } = settled;
  return {
    settled: { txHash, vendorPaidUsdc, refundedUsdc, walletReturn, tripFreeUsdc },
    ...(tripFreeUsdc === null
      ? {}
      : {
          tripFreeUsdc,
          next: [
            ...(parseDecimal(refundedUsdc) === 0n
              ? []
              : [
                  `${refundedUsdc} USDC of the reservation were not needed: they went to your treasury wallet, not back to the trip.`,
                ]),
            `The trip has ${tripFreeUsdc} USDC left, which close_trip returns to the wallet.`,
          ].join(" "),
        }),
  };
}

/** Returns a run's reservation to its trip, so that the run can be started again; in runs of earlier versions to the wallet. */
async function endReservation(
  { call }: Steps,
  reservation: { tripId: string; bookingId: string },
  { isReturned }: { isReturned: boolean },
): Promise<ReservationEnd | undefined> {
  const { tripId, bookingId } = reservation;
  const named = { ...reservation, reason: "duffel_failed" as const };
  if (!isReturned) {
    await call("cancel_booking", named);
    return undefined;
  }
  try {
    const { returnedTo, returnedUsdc, freeUsdc, walletBecause, next } = await call("release_reservation", named);
    return { bookingId, returnedTo, returnedUsdc, tripFreeUsdc: freeUsdc, walletBecause, next };
  } catch (error) {
    if (!(error instanceof StepFailure) || !NOT_RELEASED.has(error.code)) throw error;
    const { refundedUsdc } = await call("cancel_booking", named);
    const { freeUsdc } = await call("read_trip", { tripId });
    return {
      bookingId,
      returnedTo: "wallet",
      returnedUsdc: refundedUsdc,
      tripFreeUsdc: freeUsdc,
      walletBecause: error.code,
      next: `The money went to your wallet. ${error.message}`,
    };
  }
}
