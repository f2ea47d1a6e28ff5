import { Failure, isRetryable } from "../domain/errors.ts";
import type { PendingCall } from "./charge.ts";
import { findRefusal, previewGates } from "./gate.ts";
import { type Invocation, type PreparingOptions, prepareCall } from "./prepare-call.ts";
import type { Preview, Refused } from "./preview-answer.ts";

/**
 * The steps of a call before its run, and nothing else: find → scope → validate → plan → gates → the checks that the run begins
 * with. It reserves nothing and leaves nothing behind, here or outside.
 */
export async function previewCall(options: PreparingOptions, invocation: Invocation): Promise<Preview> {
  const preview: Preview = { refusal: undefined, tried: undefined, allowances: [], plan: undefined };
  let tried: PendingCall | undefined;
  try {
    const { call, caller, ports, input, plan } = await prepareCall(options, invocation);
    tried = call;
    call.rulesVersion = null;
    const { tool, listPrice, price, paidBy } = call;
    preview.tried = { toolName: tool.name, effect: tool.effect, listPrice, price, paidBy };
    const refusal = await findRefusal(options.gates, call, plan);
    if (refusal !== undefined) throw refusal.failure;
    preview.plan = await plan();
    preview.allowances = await previewGates(options.gates, call, plan);
    if (preview.plan.refusal !== undefined) throw preview.plan.refusal;
    // What an earlier call does is answered by that call.
    if (preview.plan.isRepeat !== true) await tool.probe?.(input, ports, caller);
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
