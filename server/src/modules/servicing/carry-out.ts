import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Environment } from "../../ports/identity.ts";
import { requireMoving } from "../treasury/send-out.ts";
import type { NewServicingAction, ServicingAction, ServicingKind } from "./servicing-actions.ts";
import {
  paymentReference,
  SERVICING_PURPOSE,
  type ServicingEnd,
  type ServicingPorts,
  servicingSteps,
} from "./servicing-steps.ts";

export interface ServicingRequest {
  caller: { tenantId: string; environment: Environment };
  callId: string;
  kind: ServicingKind;
  subjectId: string;
  /** What a call is told that finds an earlier one at work. */
  inProgress: { code: string; detail: string };
  /** Everything that can be refused before anything is stored or sent. */
  prepare(): Promise<Pick<NewServicingAction, "bookingId" | "orderId" | "payment" | "expected">>;
}

export interface ServicingOptions {
  random?: RandomBytes;
  /** How long a call waits for another call that does the same. */
  waitMilliseconds?: number;
  /** How long a call waits for its own action; the action goes on without it. */
  answerMilliseconds?: number;
  progress?(step: string): void;
}

export type ServicingAnswer =
  | { kind: "done"; result: unknown }
  /** An earlier call did it; nothing was done now. */
  | { kind: "replayed"; result: unknown; firstCallId: string };

const WAIT_MILLISECONDS = 10_000;
/** Clients commonly give up on a call after a minute. */
const ANSWER_MILLISECONDS = 50_000;
const POLL_MILLISECONDS = 100;

/** Does a thing once per tenant, whoever asks for it how often. Throws Failure; see `servicing-steps.ts` for the way of an action. */
export async function carryOut(
  ports: ServicingPorts,
  request: ServicingRequest,
  options: ServicingOptions = {},
): Promise<ServicingAnswer> {
  const { servicingActions, chainNetworks } = ports.stores;
  const { tenantId, environment } = request.caller;
  const deadline = performance.now() + (options.waitMilliseconds ?? WAIT_MILLISECONDS);
  for (;;) {
    const live = await servicingActions.findLive(tenantId, environment, request.kind, request.subjectId);
    if (live !== undefined) {
      const replayed = await waitForOther(ports, request, live, deadline);
      if (replayed !== undefined) return replayed;
      continue;
    }
    await requireMoving(chainNetworks, environment);
    options.progress?.("Checking what is to be done");
    const prepared = await request.prepare();
    const id = newId("act_", ports.clock.now().epochMilliseconds, options.random ?? systemRandom);
    const { callId, kind, subjectId } = request;
    const action = await storeIntent(ports, {
      ...{ id, tenantId, network: environment, callId, kind, subjectId },
      ...prepared,
      // The call is the worker: no two calls share one, and a call that died is recognised by its silence.
      workerId: callId,
    });
    if (action === undefined) continue;
    options.progress?.("Confirming at the supplier");
    return await answerOf(ports, action, options.answerMilliseconds ?? ANSWER_MILLISECONDS);
  }
}

/** The intent, what pays for it and the open effect, or none of them. Undefined: somebody else was quicker. */
async function storeIntent(
  { stores }: ServicingPorts,
  intent: NewServicingAction,
): Promise<ServicingAction | undefined> {
  return await stores.transaction(async (aggregates) => {
    const { servicingActions, ledger, effects, wallets, chainTransactions } = aggregates;
    const action = await servicingActions.insert(intent);
    if (action === undefined) return undefined;
    const { id, tenantId, network, payment, callId } = action;
    await effects.open(callId);
    if (payment === undefined) return action;
    const purse = { tenantId, network, token: "USDC" } as const;
    const reference = paymentReference(action);
    if (payment.kind === "balance") {
      await ledger.hold(purse, payment.amount, reference);
      return action;
    }
    const treasury = await wallets.ensure(network, "treasury", tenantId);
    const collection = await wallets.ensure(network, "collection");
    const transfer = await chainTransactions.enqueue({
      network,
      idempotencyKey: reference,
      tenantId,
      // The call's outcome is the action's and not the transfer's.
      callId: null,
      purpose: SERVICING_PURPOSE,
      order: {
        kind: "transfer",
        token: "USDC",
        from: treasury.address,
        to: collection.address,
        amount: payment.amount,
      },
      result: undefined,
    });
    await ledger.send(purse, payment.amount, transfer.id);
    await servicingActions.advance(id, { from: "intended", workerId: intent.workerId }, "paying");
    return { ...action, state: "paying" };
  });
}

async function answerOf(
  ports: ServicingPorts,
  action: ServicingAction,
  milliseconds: number,
): Promise<ServicingAnswer> {
  const deadline = performance.now() + milliseconds;
  const end = await pursue(ports, action, milliseconds);
  switch (end.kind) {
    case "done":
      return { kind: "done", result: end.result };
    case "failed":
      throw end.failure;
    case "unknown":
      throw outcomeUnknown(end.cause);
    case "soon":
    case "lost":
      return await finishedByAnother(ports, action, deadline);
  }
}

/** Runs the action to its end, whether or not anybody waits for it that long. */
async function pursue(ports: ServicingPorts, action: ServicingAction, milliseconds: number): Promise<ServicingEnd> {
  const steps = servicingSteps(ports, action.callId, "call");
  const stopBeating = steps.beat(action);
  const end = steps
    .carryOut(action, milliseconds)
    // The database went away in the middle, for example: the action is stored, and the reconciler takes it from there.
    .catch((cause: unknown): ServicingEnd => ({ kind: "unknown", cause }))
    .finally(stopBeating);
  const waiting = new AbortController();
  const late = delay(milliseconds, undefined, { signal: waiting.signal }).then(
    (): ServicingEnd => ({ kind: "unknown" }),
    (): ServicingEnd => ({ kind: "unknown" }),
  );
  try {
    return await Promise.race([end, late]);
  } finally {
    waiting.abort();
  }
}

/** Another worker finishes this call's action. */
async function finishedByAnother(
  { stores }: ServicingPorts,
  { id }: ServicingAction,
  deadline: number,
): Promise<ServicingAnswer> {
  for (;;) {
    const action = await stores.servicingActions.get(id);
    const cause = new Error(`servicing action ${id} was taken over and is ${action?.state}`);
    if (action?.state === "done") return { kind: "done", result: action.result };
    if (action?.failureCode !== undefined) throw new Failure(action.failureCode, { cause });
    if (performance.now() >= deadline) throw outcomeUnknown(cause);
    await delay(POLL_MILLISECONDS);
  }
}

/** The earlier action's answer; undefined when it failed, so that this call may try itself. */
async function waitForOther(
  { stores }: ServicingPorts,
  { inProgress }: ServicingRequest,
  live: ServicingAction,
  deadline: number,
): Promise<ServicingAnswer | undefined> {
  let action: ServicingAction | undefined = live;
  for (;;) {
    if (action === undefined || action.state === "failed") return undefined;
    if (action.state === "done") return { kind: "replayed", result: action.result, firstCallId: action.callId };
    if (performance.now() >= deadline) {
      throw new Failure(inProgress.code, { detail: inProgress.detail, retryAfterSeconds: 5 });
    }
    await delay(POLL_MILLISECONDS);
    action = await stores.servicingActions.get(live.id);
  }
}

function outcomeUnknown(cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The supplier has not said whether it did it. It is being found out, and what it costs stays held until then. " +
      "Call again with the same arguments: you get the result, never a second effect.",
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
