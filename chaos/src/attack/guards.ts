import type { RateLimiter } from "../../../server/src/surfaces/http/limits/rate-limiter.ts";
import { RefusalLimit } from "../../../server/src/surfaces/http/limits/refusal-limit.ts";
import type { RequestLimits } from "../../../server/src/surfaces/http/limits/request-limits.ts";

/** How the service is started without one of its guards. */
interface Guard {
  /** A limit of requests is replaced at the start, in the part that holds them. */
  limits?: (limits: RequestLimits) => RequestLimits;
  /** One that is a bound of a connection and no part: another text in its source as it is loaded. The product cannot be told to. */
  replace?: { readonly file: string; readonly from: string; readonly to: string };
  /** One that is Node's own. */
  nodeOption?: string;
}

const unlimited: RateLimiter = {
  take: () => ({ allowed: true, retryAfterSeconds: 0 }),
  giveBack: () => undefined,
  left: () => Number.MAX_SAFE_INTEGER,
  size: () => 0,
};

const HTTP = "server/src/surfaces/http";

const guards = {
  "refusal-limit": { limits: (limits) => ({ ...limits, refused: new RefusalLimit(unlimited) }) },
  "claim-limit": { limits: (limits) => ({ ...limits, publicRequests: unlimited }) },
  "unpaid-limit": { limits: (limits) => ({ ...limits, unpaid: unlimited }) },
  "unsettled-limit": { limits: (limits) => ({ ...limits, unsettledByPayer: unlimited }) },
  "waiting-requests": {
    replace: {
      file: `${HTTP}/limits/take-turns.ts`,
      from: "MAXIMUM_WAITING_REQUESTS = 128",
      to: "MAXIMUM_WAITING_REQUESTS = 1e9",
    },
  },
  "body-room": {
    replace: { file: `${HTTP}/bodies/body-room.ts`, from: "if (!fits) throw this.#refusal();", to: "" },
  },
  "body-pieces": {
    replace: {
      file: `${HTTP}/bodies/body-bytes.ts`,
      from: "length < LEAST_AVERAGE_BYTES * this.#pieces) throw tooManyPieces();",
      to: "length > 0) (this.pieces ??= []).push(piece);",
    },
  },
  "json-depth": {
    replace: { file: `${HTTP}/bodies/json-body.ts`, from: "MAXIMUM_DEPTH = 32", to: "MAXIMUM_DEPTH = 1e9" },
  },
  "checked-arguments": {
    replace: {
      file: "server/src/kernel/call/validate.ts",
      from: "if (parsed.success) return { input: parsed.data, issues: [] };",
      to: "return { input: parsed.success ? parsed.data : (args ?? {}), issues: [] };",
    },
  },
  /** The product unpacks nothing: this does. */
  "unpacked-only": {
    replace: {
      file: `${HTTP}/bodies/body-bytes.ts`,
      from: "if (!isUtf8(bytes))",
      to: 'if (bytes[0] === 31) return process.getBuiltinModule("node:zlib").gunzipSync(bytes).toString(); if (!isUtf8(bytes))',
    },
  },
  "gone-signal": {
    replace: { file: `${HTTP}/node-host.ts`, from: "if (!response.writableEnded) controller.abort();", to: "" },
  },
  "headers-timeout": {
    replace: {
      file: `${HTTP}/node-host.ts`,
      from: "HEADERS_TIMEOUT_MILLISECONDS = 15_000",
      to: "HEADERS_TIMEOUT_MILLISECONDS = 3_600_000",
    },
  },
  "body-timeout": {
    replace: {
      file: `${HTTP}/node-host.ts`,
      from: "SLOWEST_BODY_MILLISECONDS = 30_000",
      to: "SLOWEST_BODY_MILLISECONDS = 3_600_000",
    },
  },
  "idle-timeout": {
    replace: {
      file: `${HTTP}/node-host.ts`,
      from: "SLOWEST_READER_MILLISECONDS = 60_000",
      to: "SLOWEST_READER_MILLISECONDS = 3_600_000",
    },
  },
  "strict-parser": { nodeOption: "--insecure-http-parser" },
  "header-size": { nodeOption: "--max-http-header-size=1000000000" },
} as const satisfies Readonly<Record<string, Guard>>;

export type GuardName = keyof typeof guards;

const byName: Readonly<Record<string, Guard>> = guards;

export const guardNamed = (name: string): Guard => {
  const guard = byName[name];
  if (guard === undefined) throw new Error(`There is no guard ${name}.`);
  return guard;
};
