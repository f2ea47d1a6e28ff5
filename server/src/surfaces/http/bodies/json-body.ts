import { setImmediate as nextTurn } from "node:timers/promises";
import { Failure, invalidInput } from "../../../domain/errors.ts";
import type { HttpRequest } from "../http.ts";
import { tooLarge } from "./body-bytes.ts";

export const MAXIMUM_BODY_BYTES = 256 * 1024;
const MAXIMUM_DEPTH = 32;
const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i;

/** Reads a JSON object from the request. */
export async function readJsonObject(
  request: HttpRequest,
  maximumBytes = MAXIMUM_BODY_BYTES,
): Promise<Record<string, unknown>> {
  return requireObject((await readBounded(request, maximumBytes, maximumBytes)).value);
}

export function requireObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw invalidInput([{ path: "", message: "the body must be a JSON object" }]);
  return value;
}

/**
 * Reads a body and its size, since the limit can depend on its contents. Only long text values, such as documents, may exceed
 * `MAXIMUM_BODY_BYTES`: millions of small values take a hundred times the memory, and block the process while they are parsed.
 */
export function readMeasuredJson(request: HttpRequest, maximumBytes: number): Promise<MeasuredJson> {
  return readBounded(request, maximumBytes, MAXIMUM_BODY_BYTES);
}

interface MeasuredJson {
  value: unknown;
  bytes: number;
}

async function readBounded(request: HttpRequest, maximumBytes: number, mostBeside: number): Promise<MeasuredJson> {
  if (!JSON_TYPE.test(request.header("content-type") ?? "")) {
    throw new Failure("unsupported_media_type", { detail: "Send the body as Content-Type: application/json." });
  }
  const text = await request.text(maximumBytes);
  // A document takes long: other requests are served between its parts.
  if (text.length > MAXIMUM_BODY_BYTES) await nextTurn();
  const { depth, charactersBesideLongTexts } = scanOutline(text, mostBeside);
  if (depth > MAXIMUM_DEPTH) {
    throw invalidInput([{ path: "", message: `the body is nested deeper than ${MAXIMUM_DEPTH} levels` }]);
  }
  if (charactersBesideLongTexts > mostBeside) throw tooLarge(mostBeside);
  try {
    const measured = { value: JSON.parse(text), bytes: countBytes(text) };
    if (text.length > MAXIMUM_BODY_BYTES) await nextTurn();
    return measured;
  } catch {
    throw new Failure("malformed_json", {
      detail: text === "" ? "The body is empty. Send a JSON object." : "The body is not valid JSON.",
    });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MOST_BYTES_OF_A_UNIT = 3;

/** Counted only where it may matter. */
function countBytes(text: string): number {
  return text.length * MOST_BYTES_OF_A_UNIT <= MAXIMUM_BODY_BYTES ? text.length : Buffer.byteLength(text);
}

const LONG_TEXT = 64 * 1024;

interface Outline {
  /** The depth of objects and lists, counted up to one level too many. */
  depth: number;
  /** For an otherwise too large body: the characters outside of long text values. */
  charactersBesideLongTexts: number;
}

/** Scans the brackets outside strings, before anything recursive sees the text. Throws `too_large` as soon as it is certain. */
function scanOutline(text: string, mostBeside: number): Outline {
  let depth = 0;
  let deepest = 0;
  let longTexts = 0;
  for (let index = 0; index < text.length && deepest <= MAXIMUM_DEPTH; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) {
      const start = index;
      index = endOfString(text, start, mostBeside);
      if (index - start > LONG_TEXT && !isName(text, index)) longTexts += index - start;
      else if (index - longTexts > mostBeside) throw tooLarge(mostBeside);
    } else if (code === 123 || code === 91) {
      depth += 1;
      deepest = Math.max(deepest, depth);
      if (index - longTexts > mostBeside) throw tooLarge(mostBeside);
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return { depth: deepest, charactersBesideLongTexts: text.length - longTexts };
}

/** The end of the string that begins here. A base64 document has millions of characters, which are not scanned one by one. */
function endOfString(text: string, start: number, mostQuotes: number): number {
  let from = start + 1;
  for (let quotes = 0; ; quotes += 1) {
    // Base64 documents have no quotes, and each quote costs time.
    if (quotes > mostQuotes) throw tooLarge(mostQuotes);
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (quote - backslashes > from && text.charCodeAt(quote - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}

/** Whether the string that ends here is a member's name: answers repeat unknown names. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (WHITE_SPACE.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === 58;
}

/** JSON's white space. */
const WHITE_SPACE: ReadonlySet<number> = new Set([9, 10, 13, 32]);
