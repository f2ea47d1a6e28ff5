import { Failure, invalidInput } from "../../domain/errors.ts";
import type { HttpRequest } from "./http.ts";

export const MAXIMUM_BODY_BYTES = 256 * 1024;
const MAXIMUM_DEPTH = 32;
const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i;

/** Reads a JSON object from the request. */
export async function readJsonObject(
  request: HttpRequest,
  maximumBytes = MAXIMUM_BODY_BYTES,
): Promise<Record<string, unknown>> {
  const value = await readJson(request, maximumBytes);
  if (!isObject(value)) throw invalidInput([{ path: "", message: "the body must be a JSON object" }]);
  return value;
}

export async function readJson(request: HttpRequest, maximumBytes = MAXIMUM_BODY_BYTES): Promise<unknown> {
  if (!JSON_TYPE.test(request.header("content-type") ?? "")) {
    throw new Failure("unsupported_media_type", { detail: "Send the body as Content-Type: application/json." });
  }
  const text = await request.text(maximumBytes);
  if (depthExceeds(text, MAXIMUM_DEPTH)) {
    throw invalidInput([{ path: "", message: `the body is nested deeper than ${MAXIMUM_DEPTH} levels` }]);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure("malformed_json", {
      detail: text === "" ? "The body is empty. Send a JSON object." : "The body is not valid JSON.",
    });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets outside strings before anything recursive sees the text. */
function depthExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}
