import { isIP } from "node:net";
import { createMiddleware } from "hono/factory";
import type { Env } from "../sandbox.ts";

/** A name can be made to point at this machine (DNS rebinding); an address in figures cannot. */
function isOwnHost(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, "");
  return name !== undefined && (name === "localhost" || isIP(name) !== 0);
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

/**
 * Control is for programs, not for pages: a page that somebody has open must not move the clock. Programs of this machine need no
 * token; from elsewhere it takes the supplier's.
 */
export function guardControl(holdsToken: (authorization: string) => boolean) {
  return createMiddleware<Env>(async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const host = header("host") ?? "";
    const origin = header("origin");
    if (!isOwnHost(host)) return context.json({ error: `not under the name ${host}: use an address` }, 403);
    if (origin !== undefined && origin !== `http://${host}`) {
      return context.json({ error: "not for pages of other origins" }, 403);
    }
    if (!isLoopback(context.env.remoteAddress) && !holdsToken(header("authorization") ?? "")) {
      return context.json({ error: "from another machine this needs the supplier's token" }, 401);
    }
    const hasBody = (await context.req.text()) !== "";
    const type = (header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
    if (hasBody && type !== "application/json") {
      return context.json({ error: "a body must be application/json" }, 415);
    }
    return await next();
  });
}
