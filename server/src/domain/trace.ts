import { AsyncLocalStorage } from "node:async_hooks";
import { type RandomBytes, systemRandom } from "./ids.ts";

const traces = new AsyncLocalStorage<string | undefined>();

/**
 * The trace of the current call, kept across pauses: log lines, outgoing requests and stored rows have it, so that one search
 * finds a whole call. Undefined: there is no call, or several.
 */
export function currentTraceId(): string | undefined {
  return traces.getStore();
}

/** Runs `work` in this trace. Background work enters it again from its stored row. */
export function inTrace<Result>(traceId: string | null | undefined, work: () => Result): Result {
  const entered = traceId ?? undefined;
  return traces.getStore() === entered ? work() : traces.run(entered, work);
}

/** The trace of a batch: undefined unless all items belong to one call. */
export function sharedTraceId(things: readonly { traceId?: string | null | undefined }[]): string | undefined {
  const [first, ...others] = things;
  if (first === undefined || others.some(({ traceId }) => traceId !== first.traceId)) return undefined;
  return first.traceId ?? undefined;
}

/** The current trace as the W3C header `traceparent`: each outgoing request is a separate span. Undefined: there is no call. */
export function traceparent(random: RandomBytes = systemRandom): string | undefined {
  const traceId = currentTraceId();
  return traceId === undefined ? undefined : `00-${traceId}-${random(8).toHex()}-01`;
}
