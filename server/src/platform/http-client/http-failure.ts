/**
 * Why no whole answer came.
 * - `unreachable`: no connection (refused, unknown host, bad certificate)
 * - `timeout`, `aborted`: the time was up, or the caller gave up
 * - `reset`: the connection broke before an answer
 * - `truncated`, `too_large`: an answer began and its whole body could not be read
 */
export type HttpProblem = "unreachable" | "timeout" | "aborted" | "reset" | "truncated" | "too_large";

/**
 * `not_sent`: the other side never saw the request, so nothing happened there.
 * `unanswered`: it may have seen it, so anything may have happened.
 */
export type Delivery = "not_sent" | "unanswered";

export class HttpFailure extends Error {
  readonly problem: HttpProblem;
  readonly delivery: Delivery;
  /** The status, when an answer began. */
  readonly status: number | undefined;

  constructor(
    problem: HttpProblem,
    delivery: Delivery,
    details: { cause?: unknown; status?: number | undefined } = {},
  ) {
    super(`${problem} (${delivery})`, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "HttpFailure";
    this.problem = problem;
    this.delivery = delivery;
    this.status = details.status;
  }
}
