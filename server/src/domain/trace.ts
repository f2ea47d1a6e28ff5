import { AsyncLocalStorage } from "node:async_hooks";
import { type RandomBytes, systemRandom } from "./ids.ts";

/** For whom and for what the work of a trace is done, as far as it is known. */
export interface TraceSubject {
  readonly tenantId: string;
  readonly environment: "sandbox" | "production";
  readonly tripId?: string | undefined;
  readonly runId?: string | undefined;
  readonly conversationId?: string | undefined;
}

/** From where the work was asked for, for the audit log. */
export interface TraceOrigin {
  /** Undefined: not over the network. */
  readonly address?: string | undefined;
  /** The caller's program as it names itself, or `command`. */
  readonly program?: string | undefined;
}

interface Trace {
  readonly traceId: string | undefined;
  readonly subject: TraceSubject | undefined;
  readonly origin: TraceOrigin | undefined;
}

const traces = new AsyncLocalStorage<Trace>();

/**
 * The trace of the current call, kept across pauses: log lines, outgoing requests and stored rows have it, so that one search
 * finds a whole call. Undefined: there is no call, or several.
 */
export function currentTraceId(): string | undefined {
  return traces.getStore()?.traceId;
}

/** Undefined: the work is done for nobody in particular, or for several. */
export function currentSubject(): TraceSubject | undefined {
  return traces.getStore()?.subject;
}

/** Undefined: the service itself does the work, such as a job. */
export function currentOrigin(): TraceOrigin | undefined {
  return traces.getStore()?.origin;
}

/**
 * Runs `work` in this trace. Background work enters it again from its stored row. Without a subject or an origin, that of the
 * same trace around it stays.
 */
export function inTrace<Result>(
  traceId: string | null | undefined,
  work: () => Result,
  subject?: TraceSubject | undefined,
  origin?: TraceOrigin | undefined,
): Result {
  const entered = traceId ?? undefined;
  const around = traces.getStore();
  const isSame = around !== undefined && around.traceId === entered;
  if (isSame && subject === undefined && origin === undefined) return work();
  const inherited = isSame ? around : undefined;
  const trace = { traceId: entered, subject: subject ?? inherited?.subject, origin: origin ?? inherited?.origin };
  return traces.run(trace, work);
}

/** The trace of a batch: undefined unless all items belong to one call. */
export function sharedTraceId(things: readonly { traceId?: string | null | undefined }[]): string | undefined {
  const [first, ...others] = things;
  if (first === undefined || others.some(({ traceId }) => traceId !== first.traceId)) return undefined;
  return first.traceId ?? undefined;
}

/** The subject of a batch, in the same way. */
export function sharedSubject(things: readonly { subject: TraceSubject | undefined }[]): TraceSubject | undefined {
  const [first, ...others] = things;
  return others.every(({ subject }) => subject === first?.subject) ? first?.subject : undefined;
}

/** The current trace as the W3C header `traceparent`: each outgoing request is a separate span. Undefined: there is no call. */
export function traceparent(random: RandomBytes = systemRandom): string | undefined {
  const traceId = currentTraceId();
  return traceId === undefined ? undefined : `00-${traceId}-${random(8).toHex()}-01`;
}
