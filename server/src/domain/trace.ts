import { AsyncLocalStorage } from "node:async_hooks";
import { type RandomBytes, systemRandom } from "./ids.ts";

const traces = new AsyncLocalStorage<string | undefined>();

/**
 * The trace of the call that what runs now belongs to, also after a pause: log lines, requests to others and stored rows have it, so
 * that one search finds all of a call. Undefined: it belongs to no call, or to several.
 */
export function currentTraceId(): string | undefined {
  return traces.getStore();
}

/** Does `work` for the call with this trace. Work that goes on in the background enters it again, from the row in which it is stored. */
export function inTrace<Result>(traceId: string | null | undefined, work: () => Result): Result {
  const entered = traceId ?? undefined;
  return traces.getStore() === entered ? work() : traces.run(entered, work);
}

/** Of things that are done together: undefined unless all of them belong to one call. */
export function sharedTraceId(things: readonly { traceId?: string | null | undefined }[]): string | undefined {
  const [first, ...others] = things;
  if (first === undefined || others.some(({ traceId }) => traceId !== first.traceId)) return undefined;
  return first.traceId ?? undefined;
}

/** What runs now, as the W3C header `traceparent`: a request to others is a span of its own. Undefined: it belongs to no call. */
export function traceparent(random: RandomBytes = systemRandom): string | undefined {
  const traceId = currentTraceId();
  return traceId === undefined ? undefined : `00-${traceId}-${random(8).toHex()}-01`;
}
