import { Failure, isRetryable } from "../../domain/errors.ts";
import type { CallPlan } from "../contracts/call-plan.ts";
import type { PendingCall } from "../contracts/charge.ts";
import { findRefusal, previewGates, previewRun, previewWarnings } from "../contracts/gate.ts";
import type { Invocation } from "../contracts/invocation.ts";
import type { Preview, Refused } from "../contracts/preview-answer.ts";
import { forPreview, warnSignIn } from "./caller.ts";
import { type Turn, usesCostlyPorts } from "./costly-calls.ts";
import { type PreparedCall, type PreparingOptions, prepareCall } from "./prepare-call.ts";

/**
 * The steps of a call before its run, and nothing else: find → scope → validate → plan → gates → the checks that the
 * run begins with. Reserves nothing and leaves nothing behind, here or outside. `createTurn` bounds checks that take long;
 * a call that has a turn itself leaves it out. Throws a Failure only if the preview itself cannot have its turn.
 */
export async function previewCall(
  options: PreparingOptions,
  invocation: Invocation,
  createTurn?: (prepared: PreparedCall) => Turn,
): Promise<Preview> {
  const preview: Preview = {
    refusal: undefined,
    tried: undefined,
    allowances: [],
    warnings: [],
    overlappingOrderIds: [],
    plan: undefined,
  };
  let tried: PendingCall | undefined;
  let turn: Turn | undefined;
  let isWaiting = false;
  try {
    const prepared = await prepareCall(options, forPreview(invocation));
    const { entry, call, caller, ports, input, plan } = prepared;
    tried = call;
    call.rulesVersion = null;
    const { tool, listPrice, price, paidBy } = call;
    preview.tried = { toolName: tool.name, effect: tool.effect, listPrice, price, paidBy };
    preview.warnings = [...warnSignIn(entry, invocation), ...(await previewWarnings(options.gates, call, plan))];
    const refusal = await findRefusal(options.gates, call, plan);
    if (refusal !== undefined) {
      // An approver may allow it yet, so whoever asks for the approval is shown the plan.
      if (refusal.failure.code.startsWith("approval_")) {
        preview.plan = await plan();
        preview.warnings = [...preview.warnings, ...(preview.plan.warnings ?? [])];
        await addOverlaps(preview, preview.plan);
      }
      throw refusal.failure;
    }
    preview.plan = await plan();
    preview.warnings = [...preview.warnings, ...(preview.plan.warnings ?? [])];
    preview.allowances = await previewGates(options.gates, call, plan);
    if (preview.plan.refusal !== undefined) throw preview.plan.refusal;
    await preview.plan.requireNow?.();
    // The earlier call answers for its own effects.
    if (preview.plan.isRepeat === true) return preview;
    if (tool.probe !== undefined) {
      if (usesCostlyPorts(tool)) turn = createTurn?.(prepared);
      isWaiting = true;
      await turn?.take();
      isWaiting = false;
      await tool.probe(input, ports, caller);
    }
    await previewRun(options.gates, call, plan);
    const { remarks = [], readRemarks } = preview.plan;
    await addOverlaps(preview, preview.plan);
    const read = (await readRemarks?.()) ?? [];
    const ofTool = (await tool.remarks?.(input, ports, caller)) ?? [];
    const arrival = await tool.arrival?.(input, ports, caller);
    preview.plan = { ...preview.plan, arrival, remarks: [...remarks, ...read, ...ofTool] };
  } catch (error) {
    if (isWaiting || !(error instanceof Failure)) throw error;
    preview.refusal = describe(error, tried);
  } finally {
    turn?.leave();
  }
  return preview;
}

async function addOverlaps(preview: Preview, { readOverlaps }: CallPlan): Promise<void> {
  const overlaps = (await readOverlaps?.()) ?? [];
  preview.warnings = [...preview.warnings, ...overlaps.map(({ warning }) => warning)];
  preview.overlappingOrderIds = overlaps.map(({ orderId }) => orderId);
}

function describe({ code, detail, issues, extra, retryAfterSeconds }: Failure, call: PendingCall | undefined): Refused {
  return {
    ...extra,
    code,
    detail: detail ?? call?.tool.errors[code] ?? code,
    retryable: isRetryable(code, retryAfterSeconds),
    ...(issues === undefined ? {} : { issues }),
  };
}
