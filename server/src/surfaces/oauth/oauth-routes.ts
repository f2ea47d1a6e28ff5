import type Provider from "oidc-provider";
import { Failure } from "../../domain/errors.ts";
import type { ConnectedAgents } from "../../ports/connected-agents.ts";
import type { SignIn } from "../../ports/sign-in.ts";
import type { ClientWebHandler, Routes } from "../http/hosts.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { RefusalLimit } from "../http/limits/refusal-limit.ts";
import type { OriginGuard } from "../http/origin-guard.ts";
import type { WebClient } from "../http/web-adapter.ts";
import { paragraph, renderPage } from "../sign-in/render-page.ts";
import { createSessionCookies } from "../sign-in/session-cookies.ts";
import { tidyRegistration } from "./client-metadata.ts";
import { OAUTH_PATHS, SERVER_METADATA_PATH } from "./paths.ts";
import { runKoa } from "./run-koa.ts";
import { readAskedScopes } from "./scopes.ts";

export interface OauthRouteOptions {
  /** Made when it is first needed: most deployments start without anybody connecting an agent. */
  provider: () => Promise<Provider>;
  agents: Pick<ConnectedAgents, "rows">;
  signIn: Pick<SignIn, "find">;
  refuseOrigin: OriginGuard;
  issuer: string;
  publicRequests: RateLimiter;
  /** Requests of an address to the token endpoint, like calls of a key. */
  perKey: RateLimiter;
  /** Wrong codes and tokens, by address, together with refused keys. */
  refused: RefusalLimit;
}

type Client = Pick<WebClient, "remoteAddress" | "readBody">;

const LARGEST_BODY_BYTES = 32_768;
/** The fields of a request for an authorization. Others are of protocols that this server does not speak. */
const AUTHORIZATION_FIELDS: readonly string[] = [
  "client_id",
  "redirect_uri",
  "response_type",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "prompt",
];
/** Set anew: the address of the client is the one that this service trusts. */
const OWN_HEADERS = /^(?:x-forwarded-.*|forwarded|host|content-length)$/;

/** The endpoints of the authorization server. Pages of foreign origins are refused as everywhere. */
export function oauthRoutes(options: OauthRouteOptions): Routes {
  const { metadata, authorize, resume, token, register } = createEndpoints(options);
  const { authorization, registration, revocation, jwks } = OAUTH_PATHS;
  return [
    ...(["GET", "OPTIONS"] as const).flatMap((method) => [
      { method, path: SERVER_METADATA_PATH, webHandler: metadata },
      { method, path: jwks, webHandler: metadata },
    ]),
    { method: "GET", path: authorization, webHandler: authorize },
    { method: "GET", path: `${authorization}/:uid`, webHandler: resume },
    ...(["POST", "OPTIONS"] as const).flatMap((method) => [
      { method, path: OAUTH_PATHS.token, webHandler: token },
      { method, path: revocation, webHandler: token },
      { method, path: registration, webHandler: register },
    ]),
    { method: "GET", path: `${registration}/:clientId`, webHandler: token },
  ];
}

function createEndpoints(options: OauthRouteOptions): Readonly<Record<string, ClientWebHandler>> & {
  metadata: ClientWebHandler;
  authorize: ClientWebHandler;
  resume: ClientWebHandler;
  token: ClientWebHandler;
  register: ClientWebHandler;
} {
  const { issuer } = options;
  const { host, origin } = new URL(issuer);
  return {
    metadata: (request, client) => serve(options, request, client),

    async authorize(request, client) {
      const url = new URL(request.url);
      // The cookies of the request belong to one name of the host.
      if (request.headers.get("host") !== host) return redirect(`${origin}${url.pathname}${url.search}`);
      // Each request is stored, whoever sends it.
      if (!options.publicRequests.take(addressGroup(client.remoteAddress)).allowed) return tooMany();
      return await serve(options, request, client, { search: tidySearch(url.searchParams) });
    },

    async resume(request, client) {
      if (await isOfAnotherPerson(options, request)) return otherPerson();
      return await serve(options, request, client);
    },

    async token(request, client) {
      const refused = options.refuseOrigin(readHeaders(request));
      if (refused !== undefined) return oauthError(403, "invalid_request", refused);
      return request.method === "OPTIONS"
        ? await serve(options, request, client)
        : await limited(() => serveToken(options, request, client));
    },

    async register(request, client) {
      const refused = options.refuseOrigin(readHeaders(request));
      if (refused !== undefined) return oauthError(403, "invalid_request", refused);
      const from = request.headers.get("origin");
      const answer =
        request.method === "OPTIONS"
          ? new Response(null, { status: 204 })
          : await limited(() => enrol(options, request, client));
      if (from === null) return answer;
      answer.headers.set("access-control-allow-origin", from);
      answer.headers.set("access-control-allow-methods", "POST");
      answer.headers.set("access-control-allow-headers", "content-type, mcp-protocol-version");
      answer.headers.append("vary", "Origin");
      return answer;
    },
  };
}

async function enrol(options: OauthRouteOptions, request: Request, client: Client): Promise<Response> {
  const { publicRequests, agents } = options;
  takeOrThrow(publicRequests, addressGroup(client.remoteAddress), "registrations");
  if (!(await agents.rows.hasRoomForClient())) {
    return oauthError(503, "temporarily_unavailable", "Too many programs have registered. Try again tomorrow.");
  }
  const sent = parse(await client.readBody(LARGEST_BODY_BYTES, undefined));
  if (sent === undefined) return oauthError(400, "invalid_client_metadata", "Send the metadata as a JSON object.");
  return await serve(options, request, client, { body: JSON.stringify(tidyRegistration(sent)) });
}

/** Codes and tokens cannot be guessed, but each try costs a look-up, and each refresh stores tokens. */
async function serveToken(options: OauthRouteOptions, request: Request, client: Client): Promise<Response> {
  const { perKey, refused } = options;
  const address = addressGroup(client.remoteAddress);
  takeOrThrow(perKey, `oauth ${address}`, "requests for tokens");
  return await refused.judge(
    address,
    () => serve(options, request, client),
    (outcome) => outcome.status === "fulfilled" && outcome.value.status >= 400,
  );
}

/** Answers a limit that was reached as clients of OAuth read it. */
async function limited(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "rate_limited") throw error;
    const answer = oauthError(429, "temporarily_unavailable", error.message);
    answer.headers.set("retry-after", String(error.retryAfterSeconds ?? 1));
    return answer;
  }
}

async function serve(
  { provider, issuer, refuseOrigin }: OauthRouteOptions,
  request: Request,
  client: Client,
  { search, body }: { search?: string; body?: string } = {},
): Promise<Response> {
  const url = new URL(request.url);
  // A browser names no origin when a person follows a link, and every origin may read the metadata.
  const refused = refuseOrigin({
    header: (name) => (name === "host" ? (request.headers.get(name) ?? undefined) : undefined),
  });
  if (refused !== undefined) return oauthError(403, "invalid_request", refused);
  const { host, protocol } = new URL(issuer);
  const sent = Object.fromEntries([...request.headers].filter(([name]) => !OWN_HEADERS.test(name)));
  const headers = {
    ...sent,
    host,
    "x-forwarded-proto": protocol.slice(0, -1),
    "x-forwarded-for": client.remoteAddress,
    "x-forwarded-host": host,
  };
  const text = request.method === "POST" ? (body ?? (await client.readBody(LARGEST_BODY_BYTES, undefined))) : "";
  const target = `${url.pathname}${search ?? url.search}`;
  const callback = (await provider()).callback();
  return await runKoa(callback, { method: request.method, target, headers, body: text });
}

/** Names the scopes that the person chooses of, also where the client names none. */
function tidySearch(sent: URLSearchParams): string {
  const kept = new URLSearchParams([...sent].filter(([name]) => AUTHORIZATION_FIELDS.includes(name)));
  kept.set("scope", readAskedScopes(sent.get("scope")).join(" "));
  return `?${kept.toString()}`;
}

/** Whoever began the request in another browser must not get the code of the person who allowed it. */
async function isOfAnotherPerson({ provider, signIn, issuer }: OauthRouteOptions, request: Request): Promise<boolean> {
  const uid = new URL(request.url).pathname.slice(OAUTH_PATHS.authorization.length + 1);
  const interaction = await (await provider()).Interaction.find(uid);
  const by: unknown = interaction?.result?.signIn;
  if (by === undefined) return false;
  const session = createSessionCookies(issuer).readSession(request.headers.get("cookie") ?? undefined);
  return session === undefined || (await signIn.find(session))?.sessionId !== by;
}

function tooMany(): Response {
  const { headers, body } = renderPage({
    title: "Too many requests",
    body: paragraph("Wait a minute, and start again from the program that you want to connect."),
  });
  return new Response(body, { status: 429, headers: { ...headers, "retry-after": "60" } });
}

function otherPerson(): Response {
  const { status, headers, body } = renderPage({
    title: "This request belongs to somebody else",
    body: paragraph(
      "Another person allowed it in another browser. Start again from the program that you want to connect.",
    ),
    status: 403,
  });
  return new Response(body, { status, headers });
}

const readHeaders = ({ headers }: Request) => ({ header: (name: string) => headers.get(name) ?? undefined });

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

function oauthError(status: number, error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status, headers: { "cache-control": "no-store" } });
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
