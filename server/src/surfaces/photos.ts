import { createHash } from "node:crypto";
import type { Supplier } from "../ports/supplier/supplier.ts";
import { notFound } from "./discovery/not-found.ts";
import { isKnown } from "./http/cached-answer.ts";
import type { ClientWebHandler, Routes } from "./http/hosts.ts";
import { addressGroup } from "./http/limits/client-address.ts";
import { type RateLimiter, takeOrThrow } from "./http/limits/rate-limiter.ts";

export const PHOTOS_PATH = "/photos";

/** A supplier's pictures that only this service can reach. */
export function photoRoutes(
  stays: Pick<Supplier["stays"], "readPhoto"> | undefined,
  limiter: RateLimiter,
  appUrl: string,
): Routes {
  const webHandler: ClientWebHandler = async (request, { remoteAddress }) => {
    takeOrThrow(limiter, addressGroup(remoteAddress), "pictures");
    const name = new URL(request.url).pathname.slice(PHOTOS_PATH.length + 1);
    const photo = await stays?.readPhoto(name, { signal: request.signal });
    if (photo === undefined) return notFound(request, appUrl, "There is no such picture.");
    const etag = `"${createHash("sha256").update(photo.body).digest("base64url").slice(0, 22)}"`;
    const headers = {
      "content-type": photo.contentType,
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=86400",
      etag,
    };
    if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
    return new Response(photo.body, { headers });
  };
  return [{ method: "GET", path: `${PHOTOS_PATH}/*`, webHandler }];
}
