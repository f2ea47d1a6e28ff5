import { Failure, signInAgain, unauthorized } from "../../domain/errors.ts";
import { hasScope, missingScope, needsRecentSignIn } from "../../domain/scopes.ts";
import { callRoute, type GivenRequest } from "../../kernel/call/call-route.ts";
import { EventsAnswer, FileAnswer, type Route } from "../../kernel/contracts/route.ts";
import type { Principal } from "../../ports/identity.ts";
import { MAXIMUM_BODY_BYTES, readJsonObject } from "./bodies/json-body.ts";
import { answerWithEvents } from "./events-answer.ts";
import type { Routes } from "./hosts.ts";
import type { HttpAnswer, HttpRequest } from "./http.ts";
import { addressGroup } from "./limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "./limits/rate-limiter.ts";
import type { RefusalLimit } from "./limits/refusal-limit.ts";
import type { OpenExchange, SignedAnswers } from "./signed-exchange.ts";

interface RouteOptions<Ports> {
  answerSigned: SignedAnswers;
  /** By address: every request of routes whose `limitByAddress` is `requests`. */
  publicRequests: RateLimiter;
  /** By address: refusals of routes whose `limitByAddress` is `refusals`, together with refused keys. */
  refused: RefusalLimit;
  ports: Ports;
}

/** Mounts the routes of the modules with their common parts: access, rate limits, parsing and answers. */
export function mountRoutes<Ports>(routes: readonly Route<Ports>[], options: RouteOptions<Ports>): Routes {
  return routes.map((route) => {
    const readParams = paramsReader(route.path);
    const serve = async (request: HttpRequest, exchange: OpenExchange): Promise<HttpAnswer> => {
      const params = readParams(request.path);
      const principals = await admit(route, request, exchange, { ...options, params });
      const { status, value } = await callRoute(route, givenRequest(request, { principals, params }), options.ports);
      if (value instanceof FileAnswer) return fileAnswer(value);
      if (value instanceof EventsAnswer) return await answerWithEvents(request, value.events);
      const headers = { "content-type": "application/json; charset=utf-8" };
      return { status, headers, body: JSON.stringify(value) };
    };
    return {
      method: route.method,
      path: route.path,
      description: route,
      handler: (request) =>
        options.answerSigned(request, async (exchange) => {
          const work = () => serve(request, exchange);
          if (route.limitByAddress !== "refusals") return await work();
          return await options.refused.judge(addressGroup(request.remoteAddress), work, isRefusal, MOST_WAITING);
        }),
    };
  });
}

/** Empty: the route requires no key. Throws unless the caller may call it now. */
async function admit<Ports>(
  route: Route<Ports>,
  request: HttpRequest,
  exchange: OpenExchange,
  { publicRequests, params }: RouteOptions<Ports> & { params: Readonly<Record<string, string>> },
): Promise<readonly Principal[]> {
  const { access, limitByAddress } = route;
  if (limitByAddress === "requests") {
    takeOrThrow(publicRequests, addressGroup(request.remoteAddress));
  }
  if (access === "public") return [];
  if (access !== "any key" && access.internalToken === true) {
    const principals = await exchange.admitInternal();
    if (principals !== undefined) return principals;
  }
  const takesToken = access !== "any key" && access.internalToken === true;
  const admitted = await exchange.admit().catch((error: unknown) => {
    throw takesToken ? withTokenNamed(error) : error;
  });
  if (access === "any key") return [admitted.principal];
  const { scope, orOwn } = access;
  // A route that changes records must not rely on a cached key.
  const principal = scope.endsWith(":read") ? admitted.principal : await admitted.confirm();
  if (principal === undefined) throw unauthorized();
  const isOwn = orOwn !== undefined && principal.personId !== undefined && params[orOwn] === principal.personId;
  if (!isOwn && !hasScope(principal.scopes, scope)) throw missingScope(route.id, [scope]);
  if (principal.signInAgain === true && route.method !== "GET" && needsRecentSignIn([scope])) throw signInAgain();
  return [principal];
}

/** If both are accepted, a caller that sent neither is told about both. */
function withTokenNamed(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== "unauthorized") return error;
  return new Failure("unauthorized", {
    detail:
      "Send a valid internal token (Authorization: Bearer itk_…) or a valid API key (Authorization: Bearer ak_…).",
  });
}

/** A file is isolated: it runs no scripts, loads nothing else, and sends no referrer. */
function fileAnswer({ content, contentType, fileName }: FileAnswer): HttpAnswer {
  const headers = {
    "content-type": contentType,
    "content-disposition": `inline; filename="${fileName}"`,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
  };
  return { status: 200, headers, body: "", bytes: new Uint8Array(content) };
}

const REFUSALS: readonly string[] = ["unauthorized", "not_found"];

/** The limit per address: waiting requests hold memory. */
const MOST_WAITING = 100;

function isRefusal(outcome: PromiseSettledResult<unknown>): boolean {
  const { reason } = outcome.status === "rejected" ? outcome : { reason: undefined };
  return reason instanceof Failure && REFUSALS.includes(reason.code);
}

function givenRequest(
  request: HttpRequest,
  { principals, params }: Pick<GivenRequest, "principals" | "params">,
): GivenRequest {
  return {
    principals,
    gone: request,
    params,
    // If a parameter is repeated, the first one counts.
    query: Object.fromEntries([...request.query].toReversed()),
    header: (name) => request.header(name),
    readText: (maximumBytes = MAXIMUM_BODY_BYTES) => request.text(maximumBytes),
    readJson: (maximumBytes) => readJsonObject(request, maximumBytes),
  };
}

/** Reads the parameters of a path by the route's names. */
function paramsReader(routePath: string): (path: string) => Record<string, string> {
  const named = routePath
    .split("/")
    .flatMap((segment, at) => (segment.startsWith(":") ? [{ name: segment.slice(1), at }] : []));
  return (path) => {
    const segments = path.split("/");
    return Object.fromEntries(named.map(({ name, at }) => [name, decodeSegment(segments[at] ?? "")]));
  };
}

function decodeSegment(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    // Ids that storage cannot hold are never found.
    return decoded.includes("\0") ? segment : decoded;
  } catch {
    return segment;
  }
}
