/**
 * Why there is no complete answer.
 * - `unreachable`: no connection (refused, unknown host, bad certificate)
 * - `timeout`, `aborted`: the time limit was reached, or the caller gave up
 * - `reset`: the connection broke before an answer
 * - `truncated`, `too_large`: an answer began, but its whole body could not be read
 */
export type HttpProblem = "unreachable" | "timeout" | "aborted" | "reset" | "truncated" | "too_large";

/**
 * `not_sent`: the server never saw the request, so it had no effect. `unanswered`: it may have seen it and may have had any
 * effect.
 */
export type Delivery = "not_sent" | "unanswered";

export class HttpFailure extends Error {
  readonly problem: HttpProblem;
  readonly delivery: Delivery;
  /** The status, if an answer began. */
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
