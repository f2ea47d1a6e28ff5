import { newId, newTransferId } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { Write } from "../../../platform/database/write-together.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { ChainSubmission, ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Environment } from "../../../ports/identity.ts";
import { buildConfirmedResult, type EnqueuedTransaction } from "../../chain/index.ts";
import { awaitEnd, mismatch, refuseStopped, requireMoving } from "../../treasury/index.ts";
import type { Trip } from "../../trips/index.ts";
import type { Aggregates, Stores } from "../context.ts";
import { escrowFailure } from "../errors.ts";
import { requireTripEscrow } from "../escrows/trip-escrow.ts";
import { ESCROW_BOOKING_PURPOSE, ESCROW_TRIP_PURPOSE } from "../purposes.ts";
import { tellEnd } from "./end-step.ts";
import { type EscrowAction, toStep } from "./escrow-action.ts";
import { escrowStep, FURTHER } from "./step-operation.ts";

export interface StepPorts {
  stores: Stores;
  chain: Chain;
  submission: ChainSubmission;
  clock: Clock;
}

/** The ports that store a step; waiting for it needs more. */
export type StoringPorts = Pick<StepPorts, "stores" | "chain" | "clock">;

export interface StepAnswer {
  /** replayed: an earlier call's step, which was not taken again. */
  kind: "confirmed" | "replayed";
  transaction: ChainTransaction;
  result: Record<string, unknown>;
  firstCallId: string | null;
}

/** The requester of a step. */
export interface Asking {
  /** Null if no call waits for it. */
  callId: string | null;
  /** How long the call waits; the step continues without it. */
  waitMilliseconds?: number | undefined;
}

export async function awaitAnswer(
  { stores, chain, submission }: StepPorts,
  stored: ChainTransaction,
  { callId, waitMilliseconds }: Asking,
): Promise<StepAnswer> {
  const end = await awaitEnd(submission, stored, { inProgress, reverted }, waitMilliseconds);
  const additions = end.additions ?? (await tellEnd(stores, end));
  const result = { ...buildConfirmedResult(end, chain.chainId, end.hash), ...additions };
  const isOwn = end.callId === callId;
  return { kind: isOwn ? "confirmed" : "replayed", transaction: end, result, firstCallId: end.callId };
}

/** The transaction stored by an earlier call with the same Idempotency-Key. */
export async function findEarlier(
  { chainTransactions }: Pick<Aggregates, "chainTransactions">,
  chain: ChainKey,
  callId: string | null,
): Promise<ChainTransaction | undefined> {
  return callId === null ? undefined : await chainTransactions.findOfRequest(chain, callId);
}

/** One Idempotency-Key is one step. */
export function requireSame(earlier: ChainTransaction | undefined, stored: ChainTransaction): ChainTransaction {
  if (earlier !== undefined && earlier.id !== stored.id) throw mismatch();
  return stored;
}

/** Whether a new step of the trip can be stored now. Throws `settlement_stopped` or `chain_not_available`. */
export async function requireTakingSteps(
  { stores, chain }: { stores: Pick<Aggregates, "boundChains" | "furtherEscrows">; chain: Chain },
  trip: Pick<Trip, "environment" | "chain" | "escrow" | "tenantId">,
): Promise<void> {
  await requireMoving(stores.boundChains, trip);
  await requireTripEscrow({ chain, stores }, trip);
}

/** In the transaction that holds the trip's lock and stores the step's changes. */
export async function enqueueStep(
  aggregates: Pick<Aggregates, "chainTransactions" | "effects" | "furtherEscrows">,
  { chain, clock }: Pick<StepPorts, "chain" | "clock">,
  trip: Trip,
  step: {
    callId: string | null;
    action: EscrowAction;
    result: Readonly<Record<string, unknown>>;
    /** A change that is stored with the transaction, by its id. */
    alongside?(transactionId: string): Write | undefined;
  },
): Promise<EnqueuedTransaction> {
  const { callId, action, result } = step;
  const id = newTransferId(clock.now());
  const alongside = step.alongside?.(id);
  const { environment, tripId, tenantId, escrow } = trip;
  const { chainTransactions, effects } = aggregates;
  const further = escrow === chain.escrow?.address ? {} : FURTHER;
  const stored = await chainTransactions.enqueue({
    id,
    environment,
    chain: trip.chain,
    // The holder of the lock decides that this is a separate step.
    idempotencyKey: `${action.name}:${tripId}:${callId ?? newId("step_", clock.now().epochMilliseconds)}`,
    tenantId,
    callId,
    purpose: toStep(action).of === "booking" ? ESCROW_BOOKING_PURPOSE : ESCROW_TRIP_PURPOSE,
    operation: escrowStep.of({ token: "USDC", escrow, ...further, tripId, action }),
    result,
    opensCall: true,
    ...(alongside === undefined ? {} : { alongside }),
  });
  refuseStopped(stored);
  await requireTripEscrow({ chain, stores: aggregates }, trip);
  if (callId !== null) await effects.opened(callId, stored.callBefore);
  return stored;
}

/** Returns the trip under its lock. Another tenant's is not found; without a tenant any trip is. */
export async function lockTrip(
  trips: Aggregates["trips"],
  environment: Environment,
  tenantId: string | undefined,
  tripId: Hex,
): Promise<Trip> {
  const trip = await trips.lock(environment, tripId, tenantId);
  if (trip === undefined) throw escrowFailure("trip_not_found");
  return trip;
}

function inProgress({ id, hash }: ChainTransaction) {
  return escrowFailure("step_in_progress", {
    extra: { transactionId: id, ...(hash === undefined ? {} : { txHash: hash }) },
    retryAfterSeconds: 10,
  });
}

function reverted({ id, hash, failure, operation }: ChainTransaction) {
  const step = escrowStep.read(operation);
  const { refusals = {} } = step === undefined ? {} : toStep(step.action);
  const [, code = "step_reverted"] = Object.entries(refusals).find(([error]) => failure?.includes(error)) ?? [];
  return escrowFailure(code, {
    extra: { transactionId: id, txHash: hash },
    cause: new Error(failure ?? "reverted"),
  });
}
