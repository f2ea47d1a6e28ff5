import { type RouteOptions, ServiceError, unwrap } from "./answers.ts";
import type { ListEventsAnswer, ListEventsInput, ReadWorkflowRunAnswer, Routes } from "./generated/routes.ts";

/** The longest wait that the service accepts. */
const WAIT_SECONDS = 25;
/** The service answers at once when too many wait: then the client waits itself. */
const PAUSE_MILLISECONDS = 1_000;

type FollowOptions = Pick<RouteOptions, "signal">;

/**
 * A run's present state, then every change, until it has completed or failed. A pause is a state like any other: leave the loop
 * if you have to resolve it (`decidedBy` is `caller`), or wait on for those who do.
 */
export async function* followRun(
  { readWorkflowRun }: Routes,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<ReadWorkflowRunAnswer, void> {
  let run = await unwrap(readWorkflowRun({ runId }, options));
  yield run;
  while (run.status === "running" || run.status === "paused") {
    const asked = performance.now();
    const next = await unwrap(readWorkflowRun({ runId, wait: WAIT_SECONDS, since: run.updatedAt }, options));
    const isNew = next.updatedAt !== run.updatedAt || next.status !== run.status;
    run = next;
    if (isNew) yield run;
    else if (performance.now() - asked < PAUSE_MILLISECONDS) await pause(options.signal);
  }
}

/** The tenant's events, page by page, without an end. Keep `cursor` to go on from there later: it is the next `after`. */
export async function* followEvents(
  { listEvents }: Routes,
  input: Omit<ListEventsInput, "wait"> = {},
  options: FollowOptions = {},
): AsyncGenerator<ListEventsAnswer, void> {
  let { after } = input;
  for (;;) {
    const asked = performance.now();
    const outcome = await listEvents({ ...input, after, wait: WAIT_SECONDS }, options);
    if (!outcome.ok) throw new ServiceError(outcome);
    const { result } = outcome;
    after = result.cursor;
    if (result.events.length > 0) yield result;
    else if (performance.now() - asked < PAUSE_MILLISECONDS) await pause(options.signal);
  }
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MILLISECONDS);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
