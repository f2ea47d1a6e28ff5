import type { Admitted, Gate } from "../access/gate.ts";
import { Failure, unauthorized } from "../domain/errors.ts";
import { hasScope } from "../domain/scopes.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { sign } from "./audit-headers.ts";
import { type ClosedReason, closedDetail } from "./closed.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "./http.ts";
import { renderThrown } from "./render-error.ts";
import { traceIdOf } from "./trace.ts";

export interface Session extends Admitted {
  traceId: string;
}

/** Lets in whoever has a key, runs `work`, renders what it throws, and signs whatever is answered. */
export type SignedExchange = (
  request: HttpRequest,
  work: (session: Session) => Promise<HttpAnswer>,
) => Promise<HttpAnswer>;

export function createSignedExchange(options: {
  gate: Gate;
  /** Undefined while serving; else why nothing is served now. */
  closedBecause(): ClosedReason | undefined;
  /** Turns what a port threw into a Failure where it is one, such as a database that is away. */
  translate(error: unknown): unknown;
  /** Signs answers to callers that could not be identified. */
  serviceSigningSecret: string;
  clock: Clock;
  log: Log;
}): SignedExchange {
  const { gate, clock, log } = options;

  return async (request, work) => {
    const traceId = traceIdOf(request.header("traceparent"));
    let secret = options.serviceSigningSecret;
    let answer: HttpAnswer;
    try {
      const closed = options.closedBecause();
      if (closed !== undefined) throw new Failure(closed, { detail: closedDetail[closed] });
      const admitted = await gate.admit(request.header("authorization"), request.remoteAddress);
      secret = admitted.principal.signingSecret;
      answer = await work({ ...admitted, traceId });
    } catch (error) {
      answer = renderThrown(options.translate(error), traceId, log);
    }
    answer.headers["cache-control"] = "no-store";
    sign(answer.headers, secret, clock, traceId, answer.body);
    return answer;
  };
}

/** A keyed resource route: its scope, then `work`, whose value is sent as JSON. */
export function createResourceRoute(
  exchange: SignedExchange,
  scope: string,
  work: (request: HttpRequest, session: Session) => Promise<{ status?: number; value: unknown }>,
): HttpHandler {
  return (request) =>
    exchange(request, async (session) => {
      // What changes records must not rest on a cached key.
      const principal = scope.endsWith(":read") ? session.principal : await session.confirm();
      if (principal === undefined) throw unauthorized();
      if (!hasScope(principal.scopes, scope)) {
        throw new Failure("missing_scope", { detail: `The key lacks the scope ${scope}.`, extra: { scope } });
      }
      const { status = 200, value } = await work(request, { ...session, principal });
      return {
        status,
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(value),
      };
    });
}
