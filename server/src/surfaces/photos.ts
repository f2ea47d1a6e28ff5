import type { Supplier } from "../ports/supplier.ts";
import { notFound } from "./discovery/not-found.ts";
import type { Routes, WebHandler } from "./http/hosts.ts";

export const PHOTOS_PATH = "/photos";

/** Pictures of a supplier that nobody but this service can reach. */
export function photoRoutes(stays: Pick<Supplier["stays"], "readPhoto"> | undefined, appUrl: string): Routes {
  const webHandler: WebHandler = async (request) => {
    const name = new URL(request.url).pathname.slice(PHOTOS_PATH.length + 1);
    const photo = await stays?.readPhoto(name, { signal: request.signal });
    if (photo === undefined) return notFound(request, appUrl, "There is no such picture.");
    return new Response(photo.body, {
      headers: {
        "content-type": photo.contentType,
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=86400",
      },
    });
  };
  return [{ method: "GET", path: `${PHOTOS_PATH}/*`, webHandler }];
}
