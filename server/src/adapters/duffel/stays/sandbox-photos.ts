import type { HttpClient } from "../../../platform/http-client/http-client.ts";
import type { Stays } from "../../../ports/supplier/stays.ts";

const PHOTO = /^[A-Za-z0-9_-]{1,64}\/\d{1,2}\.svg$/;
const MOST_BYTES = 256 * 1024;
const TIMEOUT_MILLISECONDS = 5_000;

export interface PhotoOptions {
  http: HttpClient;
  /** The address of the sandbox, which listens to this machine only. */
  baseUrl: string;
  /** The public address under which this service shows them. */
  publicUrl: string;
}

/** The sandbox's pictures, for clients that cannot reach the sandbox. */
export function createSandboxPhotos({ http, baseUrl, publicUrl }: PhotoOptions): {
  publish(url: string): string;
  readPhoto: Stays["readPhoto"];
} {
  const prefix = new URL("/photos/", baseUrl).href;
  return {
    publish: (url) => (url.startsWith(prefix) ? `${publicUrl}/${url.slice(prefix.length)}` : url),
    async readPhoto(name, { signal } = {}) {
      if (!PHOTO.test(name)) return undefined;
      const request = { method: "GET", url: `${prefix}${name}`, timeoutMilliseconds: TIMEOUT_MILLISECONDS } as const;
      const { status, body } = await http.send({ ...request, maxBytes: MOST_BYTES, signal });
      return status === 200 ? { contentType: "image/svg+xml", body: body.toString() } : undefined;
    },
  };
}
