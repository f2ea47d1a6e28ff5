import { randomBytes } from "node:crypto";
import { Failure, httpStatus } from "../../domain/errors.ts";
import { escapeHtml } from "../../domain/escape-html.ts";
import { DASHBOARD_PATH, SIGN_IN_LINK_PATH, SIGN_IN_PATH } from "../../domain/page-paths.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { NewSession, SignIn } from "../../ports/sign-in.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { addressGroup } from "../http/limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "../http/limits/rate-limiter.ts";
import type { RefusalLimit } from "../http/limits/refusal-limit.ts";
import { passkeyButton } from "./passkey-routes.ts";
import { readBrowser, readNextPath } from "./read-visit.ts";
import { awayPage, field, hidden, paragraph, redirect, renderPage } from "./render-page.ts";
import { createSessionCookies, csrfToken, isCsrfToken, type SessionCookies } from "./session-cookies.ts";

interface SignInPagesOptions {
  signIn: SignIn;
  appUrl: string;
  /** Whether browsers accept passkeys at this address. */
  hasPasskeys: boolean;
  /** Codes asked for, by address. */
  publicRequests: RateLimiter;
  /** Wrong codes and links, by address, together with refused keys. */
  refused: RefusalLimit;
}

interface Visit extends Pick<SignInPagesOptions, "signIn" | "publicRequests" | "refused" | "hasPasskeys"> {
  request: HttpRequest;
  cookies: SessionCookies;
  /** The secret of a browser that is about to sign in. */
  visit: string;
  /** The session's secret, or that of a browser that is about to sign in. */
  secret: string;
  /** Sets the secret of a browser that has none yet. */
  cookie: string | undefined;
}

/** A link has no place for where its browser wanted to go: its cookie has. */
const NEXT_PATH = `${SIGN_IN_PATH}/next`;
const CODE_PATH = `${SIGN_IN_PATH}/code`;
const SIGN_OUT_PATH = "/sign-out";
const MAXIMUM_FORM_BYTES = 8_192;
const VISIT_BYTES = 32;
const LONGEST_EMAIL = 254;
const EMAIL = /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:]+$/;

/** Pages to sign in, which work without script. */
export function signInPages(options: SignInPagesOptions): Routes {
  const { host, origin } = new URL(options.appUrl);
  const cookies = createSessionCookies(options.appUrl);
  const page = (work: (visit: Visit) => Promise<HttpAnswer>): HttpHandler =>
    async function serve(request) {
      // Cookies belong to one name of this machine; a page at another one could not sign anybody in.
      if (request.header("host") !== host) return redirect(`${origin}${SIGN_IN_PATH}`);
      const session = cookies.readSession(request.header("cookie"));
      const begun = cookies.readVisit(request.header("cookie"));
      const visit = begun ?? randomBytes(VISIT_BYTES).toString("base64url");
      const cookie = session === undefined && begun === undefined ? cookies.setVisit(visit) : undefined;
      try {
        return await work({ ...options, request, cookies, visit, secret: session ?? visit, cookie });
      } catch (error) {
        return renderFailure(error);
      }
    };
  const form = (work: (visit: Visit, form: URLSearchParams) => Promise<HttpAnswer>) =>
    page(async (visit) => {
      const { request } = visit;
      const site = request.header("sec-fetch-site");
      if (request.header("origin") !== origin || (site !== undefined && site !== "same-origin")) return foreignForm();
      const sent = new URLSearchParams(await request.text(MAXIMUM_FORM_BYTES));
      return isCsrfToken(sent.get("csrf"), visit.secret) ? await work(visit, sent) : foreignForm();
    });
  return [
    { method: "GET", path: SIGN_IN_PATH, handler: page(showSignIn) },
    { method: "POST", path: SIGN_IN_PATH, handler: form(askForCode) },
    { method: "GET", path: CODE_PATH, handler: page(async (visit) => codePage(visit, readNext(visit.request.query))) },
    { method: "POST", path: CODE_PATH, handler: form(enterCode) },
    { method: "GET", path: `${SIGN_IN_LINK_PATH}/:token`, handler: page(showLink) },
    { method: "POST", path: `${SIGN_IN_LINK_PATH}/:token`, handler: form(takeLink) },
    { method: "GET", path: NEXT_PATH, handler: page(goOn) },
    { method: "POST", path: SIGN_OUT_PATH, handler: form(signOut) },
  ];
}

/** Undefined: somewhere else, which a sign-in never leads to. */
const readNext = (sent: URLSearchParams): string | undefined => readNextPath(sent.get("next") ?? "");

async function showSignIn(visit: Visit): Promise<HttpAnswer> {
  const { request, signIn, cookies } = visit;
  const next = readNext(request.query);
  const session = cookies.readSession(request.header("cookie"));
  const signedIn = session === undefined ? undefined : await signIn.find(session);
  if (signedIn === undefined || request.query.has("again")) {
    // Kept for a link, which is opened in another tab.
    return signInPage({ ...visit, cookie: cookies.setVisit(visit.visit, next) }, next);
  }
  const { name, email, tenantName, environment, roles } = signedIn.member;
  return renderPage({
    title: "You are signed in",
    body: `${paragraph(`${name} (${email}) at ${tenantName}, ${environment}: ${roles.join(", ")}.`)}
<p><a class="button" href="${DASHBOARD_PATH}">Open the dashboard</a></p>
<form method="post" action="${SIGN_OUT_PATH}">${hidden("csrf", csrfToken(visit.secret))}
<button class="plain" type="submit">Sign out</button></form>`,
  });
}

function signInPage(visit: Visit, next: string | undefined, wrong?: { email: string; error: string }): HttpAnswer {
  const byCommand = `<p class="quiet">Whoever runs this deployment can also print a link that signs you in:</p>
<pre><code>npm run user -- sign-in you@example.com</code></pre>`;
  const form = `<form method="post" action="${SIGN_IN_PATH}" novalidate>
${hidden("csrf", csrfToken(visit.secret))}${next === undefined ? "" : hidden("next", next)}
${field({
  name: "email",
  label: "E-mail address",
  attributes: 'type="email" autocomplete="email" autocapitalize="none" maxlength="254" autofocus',
  error: wrong?.error,
  value: wrong?.email ?? "",
})}
<button type="submit">Mail me a code</button>
</form>`;
  const body = visit.signIn.mailsCodes
    ? `${paragraph("We mail you a code that you enter on the next page. There are no passwords.")}
${form}`
    : paragraph("This deployment has no mail server, so that it cannot mail you a code.");
  const passkey = visit.hasPasskeys ? passkeyButton(visit.secret, next) : undefined;
  return renderPage({
    title: "Sign in",
    body: `${body}\n${passkey ?? ""}\n${byCommand}`,
    hasScript: passkey !== undefined,
    ...(wrong === undefined ? {} : { status: 400 }),
    ...withCookie(visit),
  });
}

async function askForCode(visit: Visit, sent: URLSearchParams): Promise<HttpAnswer> {
  const { signIn, request, publicRequests, secret } = visit;
  const next = readNext(sent);
  const email = (sent.get("email") ?? "").trim();
  if (email.length > LONGEST_EMAIL || !EMAIL.test(email)) {
    return signInPage(visit, next, { email, error: "Enter an address such as ada@example.com." });
  }
  takeOrThrow(publicRequests, addressGroup(request.remoteAddress), "codes");
  await signIn.requestCode(email, secret);
  return redirect(`${CODE_PATH}${next === undefined ? "" : `?next=${encodeURIComponent(next)}`}`);
}

function codePage(visit: Visit, next: string | undefined, error?: string): HttpAnswer {
  return renderPage({
    title: "Enter your code",
    body: `${paragraph("If the address belongs to somebody who works here, a mail with a code of eight digits is on its way. It works for ten minutes, in this browser only.")}
<form method="post" action="${CODE_PATH}" novalidate>
${hidden("csrf", csrfToken(visit.secret))}${next === undefined ? "" : hidden("next", next)}
${field({
  name: "code",
  label: "Code",
  attributes: 'class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" autofocus',
  error,
})}
<button type="submit">Sign in</button>
</form>
<p class="quiet"><a href="${SIGN_IN_PATH}">Ask for another code</a></p>`,
    ...(error === undefined ? {} : { status: 400 }),
    ...withCookie(visit),
  });
}

async function enterCode(visit: Visit, sent: URLSearchParams): Promise<HttpAnswer> {
  const { signIn, request, secret } = visit;
  const next = readNext(sent);
  const code = (sent.get("code") ?? "").replaceAll(/\D/g, "");
  const session = await counted(visit, () => signIn.enterCode(secret, code, readBrowser(request)));
  if (session !== undefined) return await enter(visit, session, next);
  return codePage(visit, next, "This code does not work. After five tries, or ten minutes, ask for another one.");
}

const usedLink = (): HttpAnswer =>
  renderPage({
    title: "This link does not work any more",
    body: `${paragraph("A link works once, and not for long. Ask whoever sent it for another one.")}
<p><a href="${SIGN_IN_PATH}">Sign in another way</a></p>`,
    status: 404,
  });

const readToken = ({ path }: HttpRequest): string => path.slice(SIGN_IN_LINK_PATH.length + 1);

/** Showing a link does not use it up: mail programs look at links before people do. */
async function showLink(visit: Visit): Promise<HttpAnswer> {
  const { signIn, request } = visit;
  const link = await counted(visit, () => signIn.showLink(readToken(request)));
  if (link === undefined) return usedLink();
  const isInvitation = link.kind === "invitation";
  return renderPage({
    title: isInvitation ? `${link.tenantName} invites you` : "Sign in",
    body: `${paragraph(isInvitation ? `${link.name}, you have been invited to work at ${link.tenantName}.` : `This link signs you in as ${link.name} at ${link.tenantName}. It works once.`)}
<form method="post" action="${escapeHtml(request.path)}">${hidden("csrf", csrfToken(visit.secret))}
<button type="submit">${isInvitation ? "Accept and sign in" : "Sign in"}</button></form>`,
    ...withCookie(visit),
  });
}

async function takeLink(visit: Visit): Promise<HttpAnswer> {
  const { signIn, request } = visit;
  const session = await counted(visit, () => signIn.takeLink(readToken(request), readBrowser(request)));
  if (session === undefined) return usedLink();
  const isExpected = visit.cookies.readNext(request.header("cookie")) !== undefined;
  return await enter(visit, session, isExpected ? NEXT_PATH : undefined);
}

/** Leads once to where the browser wanted to go: another link may mean another thing. */
async function goOn({ request, cookies }: Visit): Promise<HttpAnswer> {
  const next = readNextPath(cookies.readNext(request.header("cookie")) ?? "");
  return redirect(next ?? DASHBOARD_PATH, cookies.clearVisit());
}

/** A new session always has a new secret, and ends the one that the browser had. */
async function enter(
  { signIn, request, cookies }: Visit,
  session: NewSession,
  next = DASHBOARD_PATH,
): Promise<HttpAnswer> {
  const former = cookies.readSession(request.header("cookie"));
  if (former !== undefined) await signIn.end(former);
  const seconds = Math.floor(session.expiresAt.since(Temporal.Now.instant()).total("seconds"));
  return redirect(next, cookies.setSession(session.token, seconds));
}

async function signOut({ signIn, request, cookies }: Visit): Promise<HttpAnswer> {
  const session = cookies.readSession(request.header("cookie"));
  if (session !== undefined) await signIn.end(session);
  return redirect(SIGN_IN_PATH, cookies.clearSession());
}

/** Counts what is not there against the caller's address. */
async function counted<Found>(
  { refused, request }: Visit,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  return await refused.judge(
    addressGroup(request.remoteAddress),
    look,
    (outcome) => outcome.status === "fulfilled" && outcome.value === undefined,
  );
}

const withCookie = ({ cookie }: Visit) => (cookie === undefined ? {} : { cookie });

function foreignForm(): HttpAnswer {
  return renderPage({
    title: "This form has expired",
    body: `${paragraph("It was open for too long, or another page sent it. Nothing was done.")}
<p><a class="button" href="${SIGN_IN_PATH}">Start again</a></p>`,
    status: 403,
  });
}

function renderFailure(error: unknown): HttpAnswer {
  if (isDatabaseAway(error)) return awayPage(SIGN_IN_PATH);
  if (!(error instanceof Failure)) throw error;
  const answer = renderPage({
    title: "That did not work",
    body: `${paragraph(error.message)}\n<p><a href="${SIGN_IN_PATH}">Start again</a></p>`,
    status: httpStatus(error.code),
  });
  if (error.retryAfterSeconds !== undefined) answer.headers["retry-after"] = String(error.retryAfterSeconds);
  return answer;
}
