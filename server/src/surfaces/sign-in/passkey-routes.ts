import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Failure, signInAgain, unauthorized } from "../../domain/errors.ts";
import { escapeHtml } from "../../domain/escape-html.ts";
import { DASHBOARD_PATH, SIGN_IN_PATH } from "../../domain/page-paths.ts";
import type { Passkeys, ShownPasskey } from "../../ports/passkeys.ts";
import type { SignedIn, SignIn } from "../../ports/sign-in.ts";
import { readJsonObject } from "../http/bodies/json-body.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import type { RefusalLimit } from "../http/limits/refusal-limit.ts";
import { chooseTraceId } from "../http/trace.ts";
import { renderProblem } from "../render-error.ts";
import { readBrowser, readNextPath } from "./read-visit.ts";
import { createSessionCookies, csrfToken, isCsrfToken, type SessionCookies } from "./session-cookies.ts";

interface PasskeyRouteOptions {
  /** Undefined: browsers accept none at this address. */
  passkeys: Passkeys | undefined;
  signIn: Pick<SignIn, "find" | "end">;
  appUrl: string;
  /** Unknown passkeys, by address, together with refused keys. */
  refused: RefusalLimit;
}

interface Visit extends Pick<PasskeyRouteOptions, "signIn" | "refused"> {
  passkeys: Passkeys;
  request: HttpRequest;
  cookies: SessionCookies;
  /** The session's secret, or that of a browser that is about to sign in. */
  secret: string;
}

const USE_PATH = `${SIGN_IN_PATH}/passkey`;
const OWN_PATH = `${SIGN_IN_PATH}/passkeys`;
const SCRIPT_PATH = `${USE_PATH}.js`;
const SCRIPT = readFileSync(join(import.meta.dirname, "passkey.js"), "utf8");
const MAXIMUM_BODY_BYTES = 32_768;

const Used = z.object({ response: z.unknown(), next: z.string().optional() });
const Added = z.object({ response: z.unknown(), name: z.string().max(1_000) });

/** The part of the sign-in page with the button, which its script shows where the browser has passkeys. */
export function passkeyButton(secret: string, next: string | undefined): string {
  return `<div id="passkey" hidden data-csrf="${escapeHtml(csrfToken(secret))}" data-next="${escapeHtml(next ?? "")}">
<button class="plain" type="button">Sign in with a passkey</button>
<p class="error" role="alert"></p></div>
<script type="module" src="${SCRIPT_PATH}"></script>`;
}

/** Passkeys belong to a browser and its session, never to a key: a key must not become a session. */
export function passkeyRoutes(options: PasskeyRouteOptions): Routes {
  const { passkeys } = options;
  if (passkeys === undefined) return [];
  const open = opener({ ...options, passkeys });
  const own = (work: (visit: Visit, signedIn: SignedIn) => Promise<HttpAnswer>, isRecent = true): HttpHandler =>
    open(async (visit) => work(visit, await requireSession(visit, isRecent)));
  const script: HttpHandler = async () => ({
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
    body: SCRIPT,
  });
  return [
    { method: "GET", path: SCRIPT_PATH, handler: script },
    {
      method: "POST",
      path: `${USE_PATH}/options`,
      handler: open(async (visit) => json(await visit.passkeys.beginSignIn(visit.secret))),
    },
    { method: "POST", path: USE_PATH, handler: open(signIn) },
    { method: "GET", path: OWN_PATH, handler: own(list, false) },
    { method: "POST", path: `${OWN_PATH}/options`, handler: own(beginRegistration) },
    { method: "POST", path: OWN_PATH, handler: own(register) },
    { method: "DELETE", path: `${OWN_PATH}/:passkeyId`, handler: own(remove, false) },
  ];
}

function opener(options: PasskeyRouteOptions & { passkeys: Passkeys }) {
  const { host, origin } = new URL(options.appUrl);
  const cookies = createSessionCookies(options.appUrl);
  return (work: (visit: Visit) => Promise<HttpAnswer>): HttpHandler =>
    async (request) => {
      try {
        const sent = request.header("cookie");
        const secret = cookies.readSession(sent) ?? cookies.readVisit(sent);
        if (secret === undefined) throw unauthorized();
        requireOwnPage(request, { host, origin, secret });
        return await work({ ...options, request, cookies, secret });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return renderProblem(error, { traceId: chooseTraceId(undefined), appUrl: options.appUrl });
      }
    };
}

function requireOwnPage(
  request: HttpRequest,
  { host, origin, secret }: { host: string; origin: string; secret: string },
): void {
  const from = request.header("origin");
  const site = request.header("sec-fetch-site");
  const isReading = request.method === "GET";
  const isOwn =
    request.header("host") === host &&
    (from === origin || (isReading && from === undefined)) &&
    (site === undefined || site === "same-origin") &&
    (isReading || isCsrfToken(request.header("x-csrf-token"), secret));
  if (isOwn) return;
  throw new Failure("session_refused", {
    detail: "The request does not come from a page of this service. Reload the page and try again.",
  });
}

async function requireSession({ signIn: known, cookies, request }: Visit, isRecent: boolean): Promise<SignedIn> {
  const token = cookies.readSession(request.header("cookie"));
  const signedIn = token === undefined ? undefined : await known.find(token);
  if (signedIn === undefined) throw unauthorized();
  if (isRecent && signedIn.principal.signInAgain === true) throw signInAgain();
  return signedIn;
}

async function signIn({ passkeys, request, secret, cookies, refused, signIn: known }: Visit): Promise<HttpAnswer> {
  const { response, next } = Used.parse(await readJsonObject(request, MAXIMUM_BODY_BYTES));
  const session = await refused.judge(
    addressGroup(request.remoteAddress),
    () => passkeys.signIn(secret, response, readBrowser(request)),
    (outcome) => outcome.status === "fulfilled" && outcome.value === undefined,
  );
  if (session === undefined) {
    throw new Failure("unauthorized", {
      detail: "This passkey is not known here, or its answer came too late. Try again, or ask for a code.",
    });
  }
  // A new session always has a new secret, and ends the one that the browser had.
  const former = cookies.readSession(request.header("cookie"));
  if (former !== undefined) await known.end(former);
  const seconds = Math.floor(session.expiresAt.since(Temporal.Now.instant()).total("seconds"));
  const answer = json({ next: readNextPath(next ?? "") ?? DASHBOARD_PATH });
  answer.headers["set-cookie"] = cookies.setSession(session.token, seconds);
  return answer;
}

async function list({ passkeys }: Visit, signedIn: SignedIn): Promise<HttpAnswer> {
  return json({ passkeys: (await passkeys.list(signedIn)).map(describePasskey) });
}

async function beginRegistration({ passkeys, secret }: Visit, signedIn: SignedIn): Promise<HttpAnswer> {
  const options = await passkeys.beginRegistration(signedIn, secret);
  if (options === undefined) throw new Failure("conflict", { detail: "You have too many passkeys. Remove one first." });
  return json(options);
}

async function register({ passkeys, request, secret }: Visit, signedIn: SignedIn): Promise<HttpAnswer> {
  const { name, response } = Added.parse(await readJsonObject(request, MAXIMUM_BODY_BYTES));
  const isAdded = await passkeys.register(signedIn, secret, { name, response });
  if (isAdded) return json({ added: true });
  throw new Failure("conflict", { detail: "The passkey was not added: its answer came too late. Try again." });
}

async function remove({ passkeys, request }: Visit, signedIn: SignedIn): Promise<HttpAnswer> {
  const id = request.path.slice(OWN_PATH.length + 1);
  if (!(await passkeys.remove(signedIn, id))) throw new Failure("not_found", { detail: "You have no such passkey." });
  return json({ removed: true });
}

const describePasskey = ({ id, name, createdAt, usedAt }: ShownPasskey) => ({
  passkeyId: id,
  name,
  createdAt: createdAt.toString(),
  usedAt: usedAt?.toString() ?? null,
});

const json = (body: object): HttpAnswer => ({
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  body: JSON.stringify(body),
});
