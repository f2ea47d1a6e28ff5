import type { BlockList } from "node:net";
import { createDownload, DownloadFailure } from "../../../platform/http-client/download.ts";
import { resolveByDns } from "../../../platform/http-client/resolve-by-dns.ts";
import { createSsrfGuard } from "../../../platform/http-client/ssrf-guard.ts";
import { DocumentNotFetched, type DocumentSource, type FetchRefusal } from "./document-source.ts";
import { LARGEST_DOCUMENT_BYTES } from "./read-data.ts";

const TIMEOUT_MILLISECONDS = 10_000;
const MOST_REDIRECTS = 3;

/** The default types of file stores. */
const OF_ANY_TYPE: ReadonlySet<string> = new Set(["application/octet-stream", "binary/octet-stream"]);
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/webp", "image/tiff", "image/heic", "image/heif", "application/pdf"],
  ...OF_ANY_TYPE,
]);

const refusals = {
  forbidden: "not_allowed",
  unreachable: "unreachable",
  timeout: "unreachable",
  aborted: "unreachable",
  status: "not_there",
  type: "unsupported_document",
  too_large: "document_too_large",
} as const satisfies Record<DownloadFailure["problem"], FetchRefusal>;

/** `permitted` lists networks that may be asked although they are not public. */
export function createDocumentDownloads({
  proxyUrl,
  permitted,
}: {
  proxyUrl: string | undefined;
  permitted: BlockList;
}): DocumentSource {
  const download = createDownload({
    maximumBytes: LARGEST_DOCUMENT_BYTES,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    mostRedirects: MOST_REDIRECTS,
    mediaTypes: MEDIA_TYPES,
    guard: createSsrfGuard({ permitted, resolve: resolveByDns }),
    proxyUrl,
  });
  return {
    async get(url, signal) {
      try {
        const { bytes, mediaType } = await download(url, signal);
        return { bytes, mediaType: mediaType === undefined || OF_ANY_TYPE.has(mediaType) ? undefined : mediaType };
      } catch (error) {
        if (!(error instanceof DownloadFailure)) throw error;
        throw new DocumentNotFetched(refusals[error.problem], error.status);
      }
    },
  };
}
