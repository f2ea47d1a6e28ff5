import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import { ForbiddenTarget, type SsrfGuard } from "../../platform/http-client/ssrf-guard.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Attempt, Deliveries, LeasedDelivery } from "./events.ts";
import { signEvent } from "./sign-event.ts";

interface SenderOptions {
  deliveries: Deliveries;
  http: Pick<HttpClient, "send">;
  guard: SsrfGuard;
  clock: Clock;
  log: Log;
  /** Tells the tenant that an endpoint was switched off. */
  onSwitchedOff(delivery: LeasedDelivery, because: string): Promise<void>;
}

const TIMEOUT_MILLISECONDS = 15_000;
/** Longer than an attempt takes: how long others leave a dead process's deliveries alone. */
const LEASE = { seconds: 60 };
const MOST_AT_ONCE = 64;
const MOST_PER_ENDPOINT = 4;
/** Answers are not used. */
const MOST_ANSWER_BYTES = 64 * 1024;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds from one attempt to the next; the last one repeats. */
const GAPS = [5, 30, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR];
const GIVEN_UP_AFTER = { hours: 72 };
/** So many failures in a row show that the endpoint is away: it gets single attempts until one succeeds. */
const FAILURES_BEFORE_REST = 5;
const LONGEST_REST_SECONDS = 30 * MINUTE;

/** Delivers events to endpoints: at least once, signed, in the order of each resource, for three days. */
export class EventSender {
  readonly #options: SenderOptions;
  readonly #byEndpoint = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Begins as many due deliveries as there is room for. Their ends begin further ones. */
  async run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const room = MOST_AT_ONCE - this.#sending.size;
      if (room <= 0) return;
      const { deliveries, clock } = this.#options;
      const busy = [...this.#byEndpoint].filter(([, count]) => count >= MOST_PER_ENDPOINT).map(([id]) => id);
      const until = clock.now().add(LEASE);
      const taken = await deliveries.take({ until, limit: room, perEndpoint: MOST_PER_ENDPOINT, busy });
      for (const delivery of taken) this.#begin(delivery);
      if (taken.length < room) return;
    }
  }

  /** Deliveries that it breaks off are sent again by another process, after the lease. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#sending);
  }

  #begin(delivery: LeasedDelivery): void {
    const { endpointId } = delivery;
    this.#byEndpoint.set(endpointId, (this.#byEndpoint.get(endpointId) ?? 0) + 1);
    const sending = this.#deliver(delivery)
      .catch((err: unknown) =>
        this.#options.log.warn({ err, endpointId }, "the end of an event's delivery was not stored"),
      )
      .finally(() => {
        this.#sending.delete(sending);
        const left = (this.#byEndpoint.get(endpointId) ?? 1) - 1;
        if (left === 0) this.#byEndpoint.delete(endpointId);
        else this.#byEndpoint.set(endpointId, left);
      })
      .then(() => this.run())
      // The timer of the queue finds them, too.
      .catch(() => undefined);
    this.#sending.add(sending);
  }

  async #deliver(delivery: LeasedDelivery): Promise<void> {
    const { deliveries, onSwitchedOff } = this.#options;
    const attempt = await this.#attempt(delivery);
    if (attempt === undefined) return;
    if (attempt.problem === undefined) return await deliveries.delivered(delivery, attempt);
    const because = this.#judge(delivery, attempt);
    if (because === undefined) {
      await deliveries.failedOnce(delivery, attempt, {
        at: attempt.at.add({ seconds: gapAfter(delivery.attempts) }),
        restUntil: (failures) =>
          failures < FAILURES_BEFORE_REST
            ? undefined
            : attempt.at.add({
                seconds: Math.min(gapAfter(failures - FAILURES_BEFORE_REST + 1), LONGEST_REST_SECONDS),
              }),
      });
    } else if (await deliveries.giveUp(delivery, attempt, because)) await onSwitchedOff(delivery, because);
  }

  /** The reason to switch the endpoint off, if there is one. */
  #judge({ firstAttemptAt }: LeasedDelivery, { at, status, problem }: Attempt): string | undefined {
    if (status === 410) return "It answered 410 Gone.";
    const isOver = Temporal.Instant.compare(firstAttemptAt.add(GIVEN_UP_AFTER), at) <= 0;
    return isOver ? `An event could not be delivered for three days. Last attempt: ${problem}` : undefined;
  }

  /** Undefined: it was broken off by the stop. */
  async #attempt({ url, secrets, eventId, type, at, data }: LeasedDelivery): Promise<Attempt | undefined> {
    const { http, guard, clock } = this.#options;
    const event = { type, timestamp: at.toString(), data };
    const seconds = Math.floor(clock.now().epochMilliseconds / 1000);
    const end = (status: number | undefined, problem: string | undefined): Attempt => ({
      at: clock.now(),
      status,
      problem,
    });
    try {
      const { status } = await http.send({
        method: "POST",
        url: guard.checkUrl(url),
        headers: signEvent({ id: eventId, seconds, body: JSON.stringify(event) }, secrets),
        json: event,
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maxBytes: MOST_ANSWER_BYTES,
        lookup: guard.lookup,
        signal: this.#stop.signal,
      });
      return end(status, isAccepted(status) ? undefined : `It answered ${status}.`);
    } catch (error) {
      const forbidden = error instanceof ForbiddenTarget ? error : findForbidden(error);
      if (forbidden !== undefined) return end(undefined, `Its address is not allowed: ${forbidden.message}.`);
      if (!(error instanceof HttpFailure)) throw error;
      if (error.problem === "aborted") return undefined;
      // The body of an answer is not needed.
      if (error.status !== undefined && isAccepted(error.status)) return end(error.status, undefined);
      return end(error.status, problems[error.problem]);
    }
  }
}

const problems: Readonly<Record<Exclude<HttpFailure["problem"], "aborted">, string>> = {
  unreachable: "It could not be reached.",
  timeout: `It did not answer within ${TIMEOUT_MILLISECONDS / 1_000} seconds.`,
  reset: "The connection broke before it answered.",
  truncated: "Its answer was cut off.",
  too_large: "Its answer is too large.",
};

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

function gapAfter(attempts: number): number {
  return GAPS[Math.min(attempts, GAPS.length) - 1] ?? LONGEST_REST_SECONDS;
}

function findForbidden(error: unknown): ForbiddenTarget | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ForbiddenTarget ? cause : undefined;
}
