import { Failure } from "../../domain/errors.ts";
import type { SignIn } from "../../ports/sign-in.ts";
import type { Admitted } from "../http/admission.ts";
import type { HttpRequest } from "../http/http.ts";
import { type RateLimiter, takeOrThrow } from "../http/limits/rate-limiter.ts";
import { createSessionCookies, isCsrfToken } from "./session-cookies.ts";

interface SessionAdmissionOptions {
  signIn: Pick<SignIn, "find">;
  appUrl: string;
  /** Paths that take keys only. */
  notFor: readonly string[];
  perKey: RateLimiter;
}

/** Names the tenant that a page shows, `<tenantId>/<environment>`: two tabs may show two. */
const TENANT_HEADER = "x-tenant";
const CSRF_HEADER = "x-csrf-token";
const READING: readonly string[] = ["GET", "HEAD"];
/** By a browser's own word: the page is this service's, or a person has typed the address. */
const OWN_SITES: readonly string[] = ["same-origin", "none"];

/**
 * Admits a person's browser to `/api` by its session, with the scopes of the person's roles. Cookies come along with requests of
 * other pages, too, so that a request must show that one of the service's own pages sent it.
 */
export function createSessionAdmission(
  options: SessionAdmissionOptions,
): (request: HttpRequest) => Promise<Admitted | undefined> {
  const { signIn, appUrl, notFor, perKey } = options;
  const { host, origin } = new URL(appUrl);
  const cookies = createSessionCookies(appUrl);
  return async (request) => {
    if (request.header("authorization") !== undefined) return undefined;
    if (!request.path.startsWith("/api/") || notFor.includes(request.path)) return undefined;
    const token = cookies.readSession(request.header("cookie"));
    if (token === undefined) return undefined;
    requireOwnPage(request, { host, origin, token });
    const tenant = request.header(TENANT_HEADER);
    const signedIn = await signIn.find(token, tenant);
    if (signedIn === undefined) throw sessionEnded();
    takeOrThrow(perKey, signedIn.principal.keyId);
    return { principal: signedIn.principal, confirm: async () => (await signIn.find(token, tenant))?.principal };
  };
}

function requireOwnPage(
  request: HttpRequest,
  { host, origin, token }: { host: string; origin: string; token: string },
): void {
  if (request.header("host") !== host) throw refused("it was sent to another host name than the session's");
  const from = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (from !== undefined && from !== origin) throw refused("it comes from a page of another origin");
  if (site !== undefined && !OWN_SITES.includes(site)) throw refused("it comes from a page of another site");
  if (READING.includes(request.method)) return;
  if (from !== origin) throw refused("it does not name its Origin");
  if (!isCsrfToken(request.header(CSRF_HEADER), token)) throw refused("its X-CSRF-Token is not the session's");
}

function refused(why: string): Failure {
  return new Failure("session_refused", {
    detail: `The request has a browser's session, but ${why}. Reload the page and try again; programs send an API key.`,
  });
}

function sessionEnded(): Failure {
  return new Failure("unauthorized", {
    detail: "Your session has ended, or you do not work for this tenant any more. Sign in again.",
  });
}
