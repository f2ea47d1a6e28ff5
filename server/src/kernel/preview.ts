import { Failure, isRetryable } from "../domain/errors.ts";
import type { PendingCall } from "./charge.ts";
import { findRefusal, previewGates } from "./gate.ts";
import { type Invocation, type PreparingOptions, prepareCall } from "./prepare-call.ts";
import type { Preview, Refused } from "./preview-answer.ts";

/**
 * The steps of a call before its run, and nothing else: find → scope → validate → plan → gates. It reserves nothing, leaves nothing
 * behind, and asks nobody outside.
 */
export async function previewCall(options: PreparingOptions, invocation: Invocation): Promise<Preview> {
  const preview: Preview = { refusal: undefined, tried: undefined, allowances: [], plan: undefined };
  let tried: PendingCall | undefined;
  try {
    const { call, plan } = await prepareCall(options, invocation);
    tried = call;
    call.rulesVersion = null;
    const { tool, listPrice, price, paidBy } = call;
    preview.tried = { toolName: tool.name, effect: tool.effect, listPrice, price, paidBy };
    const refusal = await findRefusal(options.gates, call, plan);
    if (refusal !== undefined) throw refusal.failure;
    preview.plan = await plan();
    preview.allowances = await previewGates(options.gates, call, plan);
    if (preview.plan.refusal !== undefined) throw preview.plan.refusal;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    preview.refusal = describe(error, tried);
  }
  return preview;
}

function describe({ code, detail, issues, extra }: Failure, call: PendingCall | undefined): Refused {
  return {
    ...extra,
    code,
    detail: detail ?? call?.tool.errors[code] ?? code,
    retryable: isRetryable(code),
    ...(issues === undefined ? {} : { issues }),
  };
}
