import { createDownload } from "../../platform/http-client/download.ts";
import { resolveByDns } from "../../platform/http-client/resolve-by-dns.ts";
import { createSsrfGuard } from "../../platform/http-client/ssrf-guard.ts";

const LARGEST_BYTES = 16_384;
const TIMEOUT_MILLISECONDS = 2_500;

/** Strangers choose the address: no network of the operator's is asked, and no redirect is followed. */
export function createMetadataFetch(): (url: string) => Promise<Uint8Array> {
  const download = createDownload({
    guard: createSsrfGuard({ resolve: resolveByDns }),
    maximumBytes: LARGEST_BYTES,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    mostRedirects: 0,
    mediaTypes: new Set(["application/json"]),
  });
  return async (url) => (await download(url, AbortSignal.timeout(TIMEOUT_MILLISECONDS))).bytes;
}
