import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Environment } from "../../ports/identity.ts";
import { ANSWER_MILLISECONDS, executeOnce, type OnceAnswer, type OnceOptions } from "../effects/index.ts";
import type { NewServicingAction, ServicingAction, ServicingKind } from "../orders/index.ts";
import { enqueueTransfer, findHomePurse, requireMoving } from "../treasury/index.ts";
import type { Aggregates } from "./context.ts";
import {
  paymentReference,
  SERVICING_PURPOSE,
  type ServicingPorts,
  ServicingSteps,
  servicingEffect,
} from "./servicing-effect.ts";

export interface ServicingRequest {
  caller: { tenantId: string; environment: Environment };
  callId: string;
  kind: ServicingKind;
  subjectId: string;
  /** The failure of a call that finds an earlier one still running. */
  inProgress: { code: string; detail: string };
  /** Runs all checks before anything is stored or sent. */
  prepare(): Promise<Pick<NewServicingAction, "bookingId" | "orderId" | "payment" | "expected">>;
}

export interface ServicingOptions extends OnceOptions {
  random?: RandomBytes;
  progress?(step: string): void;
}

/**
 * Cancels or changes an order once per tenant, however often it is called. Throws Failure; `servicing-effect.ts` describes an
 * action's states.
 */
export async function executeServicing(
  ports: ServicingPorts,
  request: ServicingRequest,
  { random = systemRandom, progress, ...options }: ServicingOptions = {},
): Promise<OnceAnswer> {
  const { stores, clock } = ports;
  const { callId, kind, subjectId, inProgress } = request;
  const { tenantId, environment } = request.caller;
  const steps = new ServicingSteps(ports, "call");
  const machine = { stores, clock, definition: servicingEffect(ports, steps) };
  return await executeOnce<ServicingAction, Aggregates>(
    machine,
    {
      callId,
      findLive: () => stores.servicingActions.findLive(tenantId, environment, kind, subjectId),
      async prepare() {
        await requireMoving(stores.boundChains, await stores.boundChains.requireHome(environment));
        progress?.("Checking the request");
        const prepared = await request.prepare();
        const id = newId("act_", clock.now().epochMilliseconds, random);
        const intent = { id, tenantId, environment, callId, kind, subjectId, ...prepared, workerId: callId };
        return {
          insert: (aggregates) => insertPaid(aggregates, intent),
          begin(action) {
            progress?.("Confirming at the supplier");
            return steps.begin(action, options.answerMilliseconds ?? ANSWER_MILLISECONDS);
          },
        };
      },
      inProgress: () => new Failure(inProgress.code, { detail: inProgress.detail, retryAfterSeconds: 5 }),
      outcomeUnknown,
    },
    options,
  );
}

/** Stores the intent with its payment. Undefined: another call was first. */
async function insertPaid(aggregates: Aggregates, intent: NewServicingAction): Promise<ServicingAction | undefined> {
  const { servicingActions, ledger, wallets, chainTransactions } = aggregates;
  const action = await servicingActions.insert(intent);
  if (action?.payment === undefined) return action;
  const { id, payment } = action;
  const purse = await findHomePurse(aggregates, action);
  const reference = paymentReference(action);
  if (payment.kind === "balance") {
    await ledger.hold(purse, payment.amount, reference);
    return action;
  }
  const key = { idempotencyKey: reference, purpose: SERVICING_PURPOSE };
  const sent = await enqueueTransfer({ wallets, chainTransactions }, purse, "collection", payment.amount, key);
  await ledger.send(purse, payment.amount, sent.id);
  await servicingActions.advance(id, { from: "intended", workerId: intent.workerId }, "paying");
  return { ...action, state: "paying" };
}

function outcomeUnknown(cause: unknown): Failure {
  return new Failure("outcome_unknown", {
    detail:
      "The outcome at the supplier is not known yet. It is being checked, and the cost stays held until then. " +
      "Call again with the same arguments: you get the result, never a second effect.",
    retryAfterSeconds: 10,
    ...(cause === undefined ? {} : { cause }),
  });
}
