import { Failure } from "../../domain/errors.ts";
import type { OrderEnd } from "../../kernel/contracts/workflow.ts";
import type { RunParts } from "./run-parts.ts";
import { sumOrders } from "./running/undone.ts";
import type { Run } from "./runs.ts";
import { waitForRun } from "./wait-for-run.ts";

export const LOSS_NOT_ACCEPTED =
  "Cancelling would lose money: orders says what is refunded and what is lost. Nothing was changed. Send acceptLoss: true to cancel anyway.";

type Parts = Pick<RunParts, "stores" | "workflowRunner" | "runWaits">;

interface Cancellation {
  /** For the journal and the audit log. */
  by: string;
  acceptLoss: boolean;
}

/** Cancels all of these runs, or none if money would be lost without consent. Returns how many had not ended before. */
export async function cancelRuns(
  parts: Parts,
  runs: readonly Run[],
  { by, acceptLoss }: Cancellation,
): Promise<number> {
  const seen = acceptLoss ? undefined : await requireNoLoss(parts, runs);
  let cancelled = 0;
  for (const { id } of runs) {
    if (await requestCancel(parts, id, by, seen?.get(id))) cancelled += 1;
  }
  parts.workflowRunner.wake();
  return cancelled;
}

/** Returns the number of begun steps of each assessed run. Throws `loss_not_accepted`. */
async function requireNoLoss(parts: Parts, runs: readonly Run[]): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  const orders: OrderEnd[] = [];
  for (const run of runs) {
    if (run.endedAt !== undefined || run.cancelRequestedBy !== undefined) continue;
    const { losses, steps, mayBuy } = await assess(parts, run);
    if (mayBuy) throw lossNotAccepted([...orders, ...losses], run.id);
    orders.push(...losses);
    seen.set(run.id, steps);
  }
  if (orders.length > 0) throw lossNotAccepted(orders);
  return seen;
}

async function assess(parts: Parts, run: Run) {
  const { workflowRunner } = parts;
  const first = await workflowRunner.assess(run);
  if (!first.mayBuy) return first;
  // While it is booking, the cost of undoing is unknown.
  await waitForRun(parts, run);
  return await workflowRunner.assess(run);
}

async function requestCancel(parts: Parts, runId: string, by: string, steps: number | undefined): Promise<boolean> {
  const done = await parts.stores.runs.requestCancel(runId, by, steps);
  if (done !== "gone_on") return done === "cancelled";
  // The run went on just now and may have bought something.
  throw new Failure("unavailable", {
    detail: "The run progressed while it was being cancelled. Nothing was changed; cancel it again.",
    retryAfterSeconds: 1,
  });
}

function lossNotAccepted(orders: readonly OrderEnd[], buyingRunId?: string): Failure {
  const { refundedUsdc, lostUsdc } = sumOrders(orders);
  const said = orders.map((end) => `${end.orderId} refunds ${end.refundedUsdc} of ${end.paidUsdc} USDC`).join(", ");
  const detail =
    buyingRunId === undefined
      ? `Cancelling would lose ${lostUsdc} USDC: ${said}. Nothing was changed. Send acceptLoss: true to cancel anyway.`
      : `The run ${buyingRunId} is paying for something right now, and the loss from undoing that is not known yet. Nothing was changed. Cancel it in a moment, or send acceptLoss: true.`;
  return new Failure("loss_not_accepted", { detail, extra: { orders, refundedUsdc, lostUsdc } });
}
