import { describeCause, type Received, type Refused, readRefusal, refuse } from "./refusals.ts";
import { isGenuine } from "./signature.ts";

/** As the global `fetch`; `@x402/fetch` returns one that pays. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface Retries {
  /** How often a request is sent at most. Default: 4. */
  readonly attempts?: number | undefined;
  /** All pauses of a call together; a longer `Retry-After` ends it. Default: 30,000. */
  readonly waitMilliseconds?: number | undefined;
}

export interface TransportSettings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  readonly signingSecret: string | undefined;
  readonly timeoutMilliseconds: number;
  readonly attempts: number;
  readonly waitMilliseconds: number;
}

/**
 * Which requests may be sent again after a failure. `repeatable`: all that it can help, since a second one does nothing more.
 * `untouched`: only after an answer that says that nothing was done.
 */
type Repetition = "repeatable" | "untouched";

export interface OutgoingRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly repetition: Repetition;
  /** Whether the service signs the answer. */
  readonly isSigned: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMilliseconds?: number | undefined;
  /** A request that asks the service to wait takes that much longer. */
  readonly askedToWaitMilliseconds?: number | undefined;
}

/** The value that an attempt gave, and which one it was. */
export type Attempted<Value> = { readonly value: Value; readonly attempts: number } | Refused;

const FIRST_PAUSE_MILLISECONDS = 500;
/** By these codes the service says that it did nothing. */
const UNTOUCHED: ReadonlySet<string> = new Set(["rate_limited", "starting", "draining", "payment_unavailable"]);
/** Somebody has to approve the call first. */
const NEEDS_PERSON = 403;
const ERRORS = 400;
/** The key was refused. Such an answer is signed with a secret that only the service has. */
const UNAUTHORIZED = 401;

/** Sends requests, and sends them again where that is safe and can help. */
export class Transport {
  readonly settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.settings = settings;
  }

  /** The whole answer, verified if the client knows the secret. */
  async request(request: OutgoingRequest): Promise<Attempted<Received>> {
    return await this.#repeat(request, async (until) => {
      const response = await this.#send(request, until);
      // Not by `instanceof`: some servers replace the global Response, and fetch goes on with the original.
      const received = "problem" in response ? response : await collect(response, until, request.signal);
      if ("problem" in received) return received;
      if (!(await this.#isGenuine(request, received))) {
        const traceId = received.headers.get("x-service-trace-id") ?? "";
        return refuse("signature_invalid", { status: received.status, traceId });
      }
      return received.status < ERRORS ? received : this.#readRefusal(received);
    });
  }

  /** The answer as it arrives. Sent again only until it begins. */
  async open(request: OutgoingRequest): Promise<Attempted<Response>> {
    return await this.#repeat(request, async (until) => {
      const response = await this.#send(request, until);
      if ("problem" in response || response.ok) return response;
      const received = await collect(response, until, request.signal);
      return "problem" in received ? received : this.#readRefusal(received);
    });
  }

  readonly #retryAfter = new WeakMap<Refused, number>();

  #readRefusal(received: Received): Refused {
    const refused = readRefusal(received);
    const seconds = Number.parseFloat(received.headers.get("retry-after") ?? "");
    if (Number.isFinite(seconds)) this.#retryAfter.set(refused, seconds * 1000);
    return refused;
  }

  async #repeat<Value extends object>(
    { repetition, signal, timeoutMilliseconds, askedToWaitMilliseconds = 0 }: OutgoingRequest,
    attempt: (until: AbortSignal) => Promise<Value | Refused>,
  ): Promise<Attempted<Value>> {
    const { attempts, waitMilliseconds } = this.settings;
    let left = waitMilliseconds;
    for (let count = 1; ; count += 1) {
      signal?.throwIfAborted();
      const time = (timeoutMilliseconds ?? this.settings.timeoutMilliseconds) + askedToWaitMilliseconds;
      const value = await attempt(AbortSignal.timeout(time));
      if (!("problem" in value)) return { value, attempts: count };
      const pause = this.#retryAfter.get(value) ?? backOff(count);
      if (count >= attempts || pause > left || !mayRepeat(value, repetition)) return { ...value, attempts: count };
      left -= pause;
      await sleep(pause, signal);
    }
  }

  async #send(request: OutgoingRequest, until: AbortSignal): Promise<Response | Refused> {
    const { baseUrl, apiKey, fetch } = this.settings;
    const { method, path, body, signal } = request;
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...request.headers,
    };
    const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    try {
      return await fetch(`${baseUrl}${path}`, {
        method,
        headers: Object.fromEntries(given),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect could take the key to another host.
        redirect: "error",
        signal: signal === undefined ? until : AbortSignal.any([until, signal]),
      });
    } catch (error) {
      return failure(error, until, signal);
    }
  }

  async #isGenuine({ isSigned }: OutgoingRequest, { status, headers, bytes }: Received): Promise<boolean> {
    const { signingSecret } = this.settings;
    if (signingSecret === undefined || !isSigned || status === UNAUTHORIZED) return true;
    const signature = headers.get("x-service-sig") ?? "";
    return await isGenuine({ signature, traceId: headers.get("x-service-trace-id") ?? "", body: bytes }, signingSecret);
  }
}

async function collect(
  response: Response,
  until: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<Received | Refused> {
  const { status, headers } = response;
  try {
    return { status, headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    return failure(error, until, signal);
  }
}

/** Throws if the caller ended it. */
function failure(error: unknown, until: AbortSignal, signal: AbortSignal | undefined): Refused {
  signal?.throwIfAborted();
  return until.aborted ? refuse("timed_out") : refuse("connection_failed", { detail: describeCause(error) });
}

function mayRepeat({ problem }: Refused, repetition: Repetition): boolean {
  if (!problem.retryable) return false;
  return UNTOUCHED.has(problem.code) || (repetition === "repeatable" && problem.status !== NEEDS_PERSON);
}

/** Doubles each time, and is spread so that many clients do not come back at once. */
const backOff = (count: number): number => FIRST_PAUSE_MILLISECONDS * 2 ** (count - 1) * (0.5 + Math.random() / 2);

/** Rejected with the signal's reason. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
