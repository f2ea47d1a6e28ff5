import { Failure } from "../../domain/errors.ts";
import { type RandomBytes, systemRandom } from "../../domain/ids.ts";
import { inTrace } from "../../domain/trace.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import { type ErrorPlace, renderThrown } from "../render-error.ts";
import type { Admission, Admitted } from "./admission.ts";
import { sign, TRACE_ID_HEADER } from "./audit-headers.ts";
import { type ClosedReason, closedDetail } from "./closed.ts";
import type { HttpAnswer, HttpRequest } from "./http.ts";
import { chooseTraceId } from "./trace.ts";

interface Session extends Admitted, ErrorPlace {}

/** An answer in progress: its signing secret and its trace are found out while it is made. */
export interface OpenExchange extends ErrorPlace {
  traceId: string;
  signingSecret: string;
  /** Admits a caller with a key; its tenant's secret signs from then on. Throws `unauthorized` or `rate_limited`. */
  admit(): Promise<Admitted>;
  /** Admits a caller with an internal token; undefined: none was sent. The service's own secret signs. */
  admitInternal(): Promise<readonly Principal[] | undefined>;
}

/** Runs `work`, renders its errors, and signs the answer. */
export type SignedAnswers = (
  request: HttpRequest,
  work: (exchange: OpenExchange) => Promise<HttpAnswer>,
) => Promise<HttpAnswer>;

/** The same, for callers with a key only. */
export type SignedExchange = (
  request: HttpRequest,
  work: (session: Session) => Promise<HttpAnswer>,
) => Promise<HttpAnswer>;

export function createSignedExchange(answerSigned: SignedAnswers): SignedExchange {
  return (request, work) =>
    answerSigned(request, async (exchange) => {
      const { principal, confirm } = await exchange.admit();
      return work({ principal, confirm, traceId: exchange.traceId, appUrl: exchange.appUrl });
    });
}

export function createSignedAnswers(options: {
  admission: Admission;
  /** Admits a person's browser by its session. Undefined: the request has a key, or no session. */
  admitSession?: (request: HttpRequest) => Promise<Admitted | undefined>;
  /** Admits an agent that a person has connected, by its access token. Undefined: the request has none. */
  admitAgent?: (request: HttpRequest) => Promise<Admitted | undefined>;
  /** Undefined while serving; otherwise why nothing is served now. */
  closedBecause(): ClosedReason | undefined;
  /** Turns an error of a port, such as an unreachable database, into a Failure where it is one. */
  translate(error: unknown): unknown;
  appUrl: string;
  /** Signs answers to callers that could not be identified. */
  serviceSigningSecret: string;
  clock: Clock;
  /** For the ids of traces that begin here. */
  random?: RandomBytes;
  log: Log;
}): SignedAnswers {
  const { admission, clock, random = systemRandom, log } = options;

  return async (request, work) => {
    const exchange: OpenExchange = {
      traceId: chooseTraceId(request.header("traceparent"), random),
      appUrl: options.appUrl,
      signingSecret: options.serviceSigningSecret,
      async admit() {
        const admitted =
          (await options.admitSession?.(request)) ??
          (await options.admitAgent?.(request)) ??
          (await admission.admit(request.header("authorization"), request.remoteAddress));
        exchange.signingSecret = admitted.principal.signingSecret;
        request.tenantId = admitted.principal.tenantId;
        return admitted;
      },
      admitInternal: () => admission.admitInternal(request.header("authorization"), request.remoteAddress),
    };
    let answer: HttpAnswer;
    try {
      const closed = options.closedBecause();
      if (closed !== undefined) throw new Failure(closed, { detail: closedDetail[closed] });
      const origin = { address: request.remoteAddress, program: request.header("user-agent") };
      answer = await inTrace(exchange.traceId, () => work(exchange), undefined, origin);
    } catch (error) {
      answer = renderThrown(options.translate(error), exchange, log);
    }
    const { headers } = answer;
    headers["cache-control"] = "no-store";
    // A stream signs itself, as its contents are unknown when the headers leave.
    if (answer.stream === undefined)
      sign(headers, exchange.signingSecret, clock, exchange.traceId, answer.bytes ?? answer.body);
    else headers[TRACE_ID_HEADER] = exchange.traceId;
    return answer;
  };
}
