import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { RouteDescription } from "../../kernel/contracts/route.ts";
import type { Routes, WebHandler } from "./hosts.ts";

interface CachedAnswerOptions {
  contentType: string;
  /** Default: one hour. */
  cacheControl?: string;
  /** In addition to the headers of every cached answer, for example a content security policy. Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  /** Request headers by which the caller of this function chooses between answers, besides Accept-Encoding. */
  vary?: readonly string[];
}

type Encoding = "identity" | "gzip" | "br";

/** Smaller answers gain less from compression than its headers cost. */
const SMALLEST_COMPRESSED_BYTES = 1_000;
const BROTLI_QUALITY = 9;
const ONE_HOUR = "max-age=3600";

/**
 * A public text that never changes while the process lives: readable by pages of any origin, with an ETag, for GET, HEAD and
 * the preflight, and compressed once per encoding, on the first request for it. A text that takes time to make is passed as a
 * function and also made on demand.
 */
export function cachedAnswer(
  content: string | Uint8Array | (() => string | Promise<string>),
  options: CachedAnswerOptions,
): WebHandler {
  let known: Promise<Identified> | undefined;
  const identified = async (): Promise<Identified> => {
    known ??= make();
    try {
      return await known;
    } catch (error) {
      // The next request tries again.
      known = undefined;
      throw error;
    }
  };
  const make = async () => identify(typeof content === "function" ? await content() : content);
  const variants = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  const variant = (bytes: Buffer<ArrayBuffer>, encoding: Encoding) => {
    const before = variants.get(encoding);
    if (before !== undefined) return before;
    const made = encode(bytes, encoding);
    variants.set(encoding, made);
    return made;
  };
  const shared = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "etag",
    "cache-control": options.cacheControl ?? ONE_HOUR,
    vary: ["accept-encoding", ...(options.vary ?? [])].join(", "),
    "x-content-type-options": "nosniff",
    ...options.headers,
  };

  return async (request) => {
    if (request.method === "OPTIONS") return preflight();
    const { bytes, hash } = await identified();
    const encoding = bytes.length < SMALLEST_COMPRESSED_BYTES ? "identity" : bestEncoding(request);
    const etag = `"${hash}${encoding === "identity" ? "" : `-${encoding}`}"`;
    const headers = new Headers({ ...shared, etag });
    if (isKnown(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
    const body = await variant(bytes, encoding);
    headers.set("content-type", options.contentType);
    headers.set("content-length", String(body.byteLength));
    if (encoding !== "identity") headers.set("content-encoding", encoding);
    return new Response(request.method === "HEAD" ? null : body, { status: 200, headers });
  };
}

interface Identified {
  bytes: Buffer<ArrayBuffer>;
  hash: string;
}

function identify(content: string | Uint8Array): Identified {
  const bytes = Buffer.from(content);
  return { bytes, hash: createHash("sha256").update(bytes).digest("base64url").slice(0, 22) };
}

function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      // The asterisk does not cover Authorization, which some clients send everywhere.
      "access-control-allow-headers": "*, authorization",
      "access-control-max-age": "86400",
    },
  });
}

async function encode(bytes: Buffer<ArrayBuffer>, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  if (encoding === "identity") return bytes;
  const packed =
    encoding === "gzip"
      ? await promisify(gzip)(bytes)
      : await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
  return new Uint8Array(packed);
}

/** Brotli, else gzip, else none, as far as the caller accepts it. */
function bestEncoding(request: Request): Encoding {
  const accepted = acceptedEncodings(request.headers.get("accept-encoding") ?? "");
  const takes = (encoding: string) => accepted.get(encoding) ?? accepted.get("*") ?? false;
  if (takes("br")) return "br";
  return takes("gzip") ? "gzip" : "identity";
}

function acceptedEncodings(header: string): Map<string, boolean> {
  return new Map(
    header.split(",").map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))];
    }),
  );
}

export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(",").some((tag) => {
    const known = tag.trim();
    return known === "*" || known === etag || known === `W/${etag}`;
  });
}

/**
 * The routes of a cached answer: GET, which includes HEAD, and the preflight of other origins' pages. Routes under `/api` have
 * a description.
 */
export function cachedRoutes(path: string, webHandler: WebHandler, description?: RouteDescription): Routes {
  return [
    { method: "GET", path, webHandler, ...(description === undefined ? {} : { description }) },
    { method: "OPTIONS", path, webHandler },
  ];
}
