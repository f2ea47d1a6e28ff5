import { createPageTranscriber } from "../adapters/openai-compatible/transcribe-pages.ts";
import type { Config } from "../config/config.ts";
import type { HttpClient } from "../platform/http-client/http-client.ts";
import type { Log } from "../ports/log.ts";
import type { PageTranscriber } from "../ports/page-transcriber.ts";

/** Undefined: no vision model is configured, and no document leaves the service. */
export function openPageTranscriber(
  config: Config,
  { http, log }: { http: HttpClient; log: Log },
): PageTranscriber | undefined {
  const { visionModelUrl: url, visionModel: model, visionModelKey: apiKey, visionModelTimeoutSeconds } = config;
  if (url === undefined || model === undefined) return undefined;
  return createPageTranscriber({
    url,
    model,
    apiKey,
    timeoutMilliseconds: visionModelTimeoutSeconds * 1_000,
    http,
    log,
  });
}
