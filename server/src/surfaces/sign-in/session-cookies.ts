import { createHmac, timingSafeEqual } from "node:crypto";

/** The cookies of a browser. They belong to one application host, which its port is a part of. */
export interface SessionCookies {
  readSession(cookies: string | undefined): string | undefined;
  /** The secret of a browser that is about to sign in. */
  readVisit(cookies: string | undefined): string | undefined;
  /** Where it wanted to go when it came to sign in. Whoever sends it there checks where that is. */
  readNext(cookies: string | undefined): string | undefined;
  setSession(token: string, maximumAgeSeconds: number): string;
  setVisit(visit: string, next?: string): string;
  clearVisit(): string;
  clearSession(): string;
}

const TOKEN = /^[A-Za-z0-9_-]{20,100}$/;
const VISIT = /^([A-Za-z0-9_-]{20,100})(?:\.([A-Za-z0-9_-]{1,1000}))?$/;
const VISIT_SECONDS = 3_600;

/**
 * Over https the names begin with `__Host-`, so that no other host and no unencrypted page can set them. Browsers send cookies
 * to all ports of a host, so over http the names have the port, and two products on one machine do not sign each other out.
 */
export function createSessionCookies(appUrl: string): SessionCookies {
  const { protocol, port } = new URL(appUrl);
  const isEncrypted = protocol === "https:";
  const name = (what: string) => (isEncrypted ? `__Host-wayfare_${what}` : `wayfare_${what}_${port || "80"}`);
  const write = (what: string, value: string, maximumAgeSeconds: number) =>
    `${name(what)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maximumAgeSeconds}${isEncrypted ? "; Secure" : ""}`;
  return {
    readSession: (cookies) => readCookie(cookies, name("session")),
    readVisit: (cookies) => VISIT.exec(readCookie(cookies, name("visit"), VISIT) ?? "")?.[1],
    readNext(cookies) {
      const next = VISIT.exec(readCookie(cookies, name("visit"), VISIT) ?? "")?.[2];
      return next === undefined ? undefined : Buffer.from(next, "base64url").toString("utf8");
    },
    setSession: (token, seconds) => write("session", token, seconds),
    setVisit: (visit, next) =>
      write("visit", next === undefined ? visit : `${visit}.${Buffer.from(next).toString("base64url")}`, VISIT_SECONDS),
    clearVisit: () => write("visit", "", 0),
    clearSession: () => write("session", "", 0),
  };
}

/** If a cookie is sent twice, none counts: another page of the host may have set one of them. */
export function readCookie(cookies: string | undefined, name: string, form = TOKEN): string | undefined {
  const values = (cookies ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value, ...others] = values;
  return value !== undefined && others.length === 0 && form.test(value) ? value : undefined;
}

/** The token that forms and scripts of a session send: it follows from the session's secret and does not reveal it. */
export function csrfToken(secret: string): string {
  return createHmac("sha256", secret).update("csrf").digest("base64url");
}

export function isCsrfToken(given: string | null | undefined, secret: string): boolean {
  const wanted = Buffer.from(csrfToken(secret));
  const sent = Buffer.from(given ?? "");
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
