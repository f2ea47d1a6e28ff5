import type { Clock } from "../../ports/clock.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes, WebHandler } from "../http/hosts.ts";
import { notFound } from "./not-found.ts";

export interface SecurityContact {
  /** A `mailto:`, `https:` or `tel:` URI. */
  contact: string;
  /** When the statement expires, unless it is renewed. */
  expires: Temporal.Instant;
}

/** RFC 9116. An invented or expired contact is worse than none, so there is no default and no answer after the expiry. */
export function securityContactRoutes(options: {
  security: SecurityContact | undefined;
  appUrl: string;
  clock: Clock;
}): Routes {
  const { security, appUrl, clock } = options;
  const path = "/.well-known/security.txt";
  if (security === undefined) return [];
  const { contact, expires } = security;
  const text = `Contact: ${contact}\nExpires: ${expires.toString()}\nPreferred-Languages: en\nCanonical: ${appUrl}${path}\n`;
  const current = cachedAnswer(text, { contentType: "text/plain; charset=utf-8" });
  const webHandler: WebHandler = (request) =>
    Temporal.Instant.compare(clock.now(), expires) < 0
      ? current(request)
      : notFound(request, appUrl, "The security contact of this deployment has expired; the operator has to renew it.");
  return cachedRoutes(path, webHandler);
}
