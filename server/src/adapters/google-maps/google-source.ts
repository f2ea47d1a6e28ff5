import { z } from "zod";
import type { OpenSource } from "../../platform/providers/open-source.ts";
import { ProviderFailure, type ProviderProblem, type Reply } from "../../platform/providers/provider.ts";

/** Its terms allow place ids to be stored, and nothing else of its answers: nothing is cached. */
const NOTHING_IS_STORED = 0;

export const aboutGoogle = { source: "google-maps", sourceLevel: "live", attribution: ["Google Maps"] } as const;

/** The hosts of the APIs, which share one key. Each has limits and rights of its own, so each is a source, even on one host. */
export const googleHosts = {
  geocoding: "maps.googleapis.com",
  elevation: "maps.googleapis.com",
  timeZone: "maps.googleapis.com",
  addresses: "addressvalidation.googleapis.com",
  places: "places.googleapis.com",
  routes: "routes.googleapis.com",
  weather: "weather.googleapis.com",
  airQuality: "airquality.googleapis.com",
} as const;

export interface GoogleApi {
  source: OpenSource;
  key: string;
}

interface GoogleRequest<Value> {
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  json?: unknown;
  fieldMask?: string;
  parse(body: Buffer): Value;
  signal: AbortSignal | undefined;
}

/** A question to an API that takes the key in a header. */
export function askGoogle<Value>(
  { source, key }: GoogleApi,
  { path, query = {}, json, fieldMask, parse, signal }: GoogleRequest<Value>,
): Promise<Reply<Value>> {
  const mask = fieldMask === undefined ? {} : { "x-goog-fieldmask": fieldMask };
  const headers = { "x-goog-api-key": key, ...mask };
  return source.read({ path, query, json, headers, freshMilliseconds: NOTHING_IS_STORED, parse, signal });
}

/** A question to one of the older APIs; undefined: it knows nothing. They take the key in the query, and say in the body whether they answer. */
export function askOlderGoogle<Answered>(
  { source, key }: GoogleApi,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  { answered, signal }: { answered: z.ZodType<Answered>; signal: AbortSignal | undefined },
): Promise<Reply<Answered | undefined>> {
  const parse = olderParser(answered);
  return source.read({ path, query: { ...query, key }, freshMilliseconds: NOTHING_IS_STORED, parse, signal });
}

const Status = z.object({ status: z.string() });

const PROBLEMS: Readonly<Record<string, ProviderProblem>> = {
  OVER_QUERY_LIMIT: "rate_limited",
  OVER_DAILY_LIMIT: "rate_limited",
  REQUEST_DENIED: "refused",
  INVALID_REQUEST: "refused",
  UNKNOWN_ERROR: "server_error",
};

function olderParser<Answered>(answered: z.ZodType<Answered>) {
  return (body: Buffer): Answered | undefined => {
    const answer: unknown = JSON.parse(body.toString("utf8"));
    const { status } = Status.parse(answer);
    if (status === "ZERO_RESULTS" || status === "DATA_NOT_AVAILABLE") return undefined;
    if (status === "OK") return answered.parse(answer);
    throw new ProviderFailure(PROBLEMS[status] ?? "unexpected_answer");
  };
}
