import { createHash, timingSafeEqual } from "node:crypto";
import { type Failure, invalidInput } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import {
  checkEscrow,
  escrowFailure,
  escrowStep,
  isExpired,
  lockTrip,
  requireFunded,
  requireNothingPending,
  requireTakingSteps,
  type StepAnswer,
  takeTripStep,
} from "../escrow/index.ts";
import type { GuestLink } from "../invitations/index.ts";
import { chainProvenance, isServiceContract } from "../treasury/index.ts";
import { MOST_WRONG_CODES, type Trip } from "../trips/index.ts";
import type { Ports } from "./context.ts";
import { guestFailure } from "./errors.ts";

export type ClaimPorts = Pick<Ports, "chain" | "submission" | "stores" | "clock" | "claimKeys">;

export interface ClaimRequest extends GuestLink {
  guestWallet: Hex;
  chainId: number;
  /** Default: the chain's own. */
  escrowAddress?: string | undefined;
  claimCode?: string | undefined;
  codeNonce?: Hex | undefined;
  /** Default: the trip of any tenant. */
  tenantId?: string | undefined;
  /** Default: no call waits, and nobody pays. */
  callId?: string | undefined;
  waitMilliseconds?: number | undefined;
}

/** An unused signature expires then. */
const SIGNATURE_HOURS = 1;

/**
 * Binds a guest's wallet to a trip, once: the claim signer's signature names the wallet, so that nobody who sees it can claim
 * for another one. Claiming again with the same wallet gets the first answer. Throws Failure with a code of `claimErrors`,
 * `tripStateErrors` or `stepErrors`.
 */
export async function claimTrip(ports: ClaimPorts, request: ClaimRequest): Promise<StepAnswer> {
  const { chain, clock, claimKeys } = ports;
  const { tripId, guestWallet, tenantId, callId, waitMilliseconds } = request;
  const { trip, isAgain } = await checkClaim(ports, request);
  if (!isAgain) await requireCode(ports, request);
  const deadline = BigInt(Math.floor(clock.now().add({ hours: SIGNATURE_HOURS }).epochMilliseconds / 1000));
  const claim = { chainId: chain.chainId, escrow: trip.escrow, tripId, guest: guestWallet, deadline };
  const signature = await claimKeys.signClaim(trip.codeNonce, claim);
  return await takeTripStep(ports, {
    tenantId,
    callId: callId ?? null,
    tripId,
    action: { name: "claim", guest: guestWallet, deadline, signature },
    result: { tripId, guestWallet, escrowAddress: trip.escrow, ...chainProvenance(chain, clock) },
    check() {
      // The pending claim had no effect meanwhile: the code is required again.
      if (isAgain) throw escrowFailure("trip_in_progress");
    },
    waitMilliseconds,
  });
}

/** Checks everything but the code, since wrong codes are counted; changes nothing. */
async function checkClaim(
  ports: Pick<ClaimPorts, "chain" | "stores" | "claimKeys" | "clock">,
  request: Omit<ClaimRequest, "claimCode" | "codeNonce" | "callId" | "waitMilliseconds">,
) {
  const { chain, stores } = ports;
  const { tenantId, escrowAddress, tripId } = request;
  await checkEscrow({ chain, stores }, { tenantId, escrowAddress, tripId });
  if (request.chainId !== chain.chainId) throw wrongChain(chain.chainId);
  await refuseContracts({ chain, stores }, request.guestWallet);
  const trip = await openClaim(ports, request);
  return { trip, isAgain: await isClaimedBy(ports, trip, request.guestWallet) };
}

/**
 * Checks this and the records for a first claim, for a preview. Only the claim itself checks the code, counting wrong ones: a
 * preview that did would let anyone try them all.
 */
export async function checkFirstClaim(
  ports: Pick<ClaimPorts, "chain" | "stores" | "claimKeys" | "clock">,
  request: Omit<ClaimRequest, "codeNonce" | "callId" | "waitMilliseconds">,
): Promise<void> {
  const { trip, isAgain } = await checkClaim(ports, request);
  if (isAgain) return;
  const refusal = refusalOfCode(trip, request.claimCode);
  if (refusal !== undefined) throw refusal;
  requireNothingPending(trip);
  await requireTakingSteps(ports, trip);
}

/**
 * The trip, for the holder of its link. Throws `trip_not_found` and `claim_link_invalid`; wrong links are not counted, as none
 * can be guessed.
 */
export async function openClaim(
  { chain, stores, claimKeys }: Pick<ClaimPorts, "chain" | "stores" | "claimKeys">,
  { tripId, linkSecret, tenantId }: GuestLink & { tenantId?: string | undefined },
): Promise<Trip> {
  const { environment } = chain;
  const { trips } = stores;
  const trip =
    tenantId === undefined ? await trips.get(environment, tripId) : await trips.find(tenantId, environment, tripId);
  if (trip === undefined) throw escrowFailure("trip_not_found");
  if (!isEqual(linkSecret, claimKeys.linkSecret(trip.codeNonce))) throw guestFailure("claim_link_invalid");
  return trip;
}

/** Whether this wallet has claimed the trip, or is about to. Throws the refusal for any other wallet. */
async function isClaimedBy(
  { stores, clock }: Pick<ClaimPorts, "stores" | "clock">,
  trip: Trip,
  guestWallet: Hex,
): Promise<boolean> {
  requireFunded(trip);
  if (trip.guestWallet !== undefined) {
    if (trip.guestWallet !== guestWallet) throw guestFailure("already_claimed");
    return true;
  }
  if (trip.pending?.step === "claim") {
    const pending = await stores.chainTransactions.get(trip.pending.transactionId);
    const action = escrowStep.read(pending?.operation)?.action;
    if (action?.name === "claim" && action.guest === guestWallet) return true;
    throw escrowFailure("trip_in_progress");
  }
  if (isExpired(trip, clock)) throw escrowFailure("trip_expired");
  if (trip.state === "closed") throw escrowFailure("trip_closed");
  return false;
}

/**
 * Codes are checked one at a time, under the trip's lock, and each wrong one is counted before the next: sending thousands at
 * once tries only five.
 */
export async function requireCode(
  { chain, stores, claimKeys }: ClaimPorts,
  request: Pick<ClaimRequest, "tripId" | "tenantId" | "claimCode" | "codeNonce">,
): Promise<void> {
  const { tripId, tenantId, claimCode, codeNonce } = request;
  const { environment } = chain;
  // Throwing inside would roll back the count.
  const thrown = await stores.transaction(async ({ trips }) => {
    const trip = await lockTrip(trips, environment, tenantId, tripId);
    const refusal = refusalOfCode(trip, claimCode);
    if (refusal !== undefined) return refusal;
    const isRightCode = !trip.requiresCode || isEqual(claimCode ?? "", claimKeys.claimCode(trip.codeNonce));
    const isRightNonce = codeNonce === undefined || isEqual(codeNonce, trip.codeNonce);
    if (isRightCode && isRightNonce) return undefined;
    const wrongCodes = await trips.countWrongCode(environment, tripId, MOST_WRONG_CODES);
    return wrongCode(MOST_WRONG_CODES - (wrongCodes ?? MOST_WRONG_CODES));
  });
  if (thrown !== undefined) throw thrown;
}

/** Refusals that no code can change, or a missing code. */
function refusalOfCode(
  { wrongCodes, requiresCode }: Pick<Trip, "wrongCodes" | "requiresCode">,
  claimCode: string | undefined,
): Failure | undefined {
  if (wrongCodes >= MOST_WRONG_CODES) return guestFailure("claim_locked");
  return requiresCode && claimCode === undefined ? guestFailure("claim_code_required") : undefined;
}

function wrongCode(attemptsLeft: number): Failure {
  const detail =
    attemptsLeft === 0
      ? "The code or code nonce is wrong, and that was the last attempt: the buyer has to unlock the claim."
      : `The code or the code nonce is wrong. Attempts left: ${attemptsLeft}.`;
  return guestFailure("claim_code_wrong", { detail, extra: { attemptsLeft } });
}

function wrongChain(chainId: number): Failure {
  return guestFailure("wrong_chain", {
    detail: `The trip is on the chain ${chainId}: send this as chainId.`,
    extra: { chainId },
  });
}

async function refuseContracts(sources: Pick<ClaimPorts, "chain" | "stores">, guestWallet: Hex): Promise<void> {
  if (!(await isServiceContract(sources, guestWallet))) return;
  throw invalidInput([{ path: "guestWallet", message: "is one of the network's contracts, not a wallet" }]);
}

/** Compares in constant time, whatever the texts and their lengths. */
function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
