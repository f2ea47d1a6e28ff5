import type { Tool } from "@modelcontextprotocol/server";
import { isObject } from "../http/bodies/json-body.ts";

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
const LOOKS_ENCODED = /^=\?base64\?.*\?=$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Checks headers that mirror arguments, for routing (revision 2026-07-28, `x-mcp-header`; here top-level arguments only).
 * Headers that contradict the body are refused, since they could mislead a router. Returns the mismatch.
 */
export function findHeaderMismatch(
  { inputSchema }: Tool,
  args: Readonly<Record<string, unknown>>,
  header: (name: string) => string | undefined,
): { header: string; body: string } | undefined {
  for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
    const suffix = isObject(schema) ? schema["x-mcp-header"] : undefined;
    const value = args[argument];
    if (typeof suffix !== "string" || value === undefined || value === null) continue;
    const name = `Mcp-Param-${suffix}`;
    const sent = header(name.toLowerCase());
    if (sent === undefined) return { header: name, body: `the body contains ${argument}, but the header is missing` };
    const decoded = decode(sent);
    if (decoded === undefined) return { header: name, body: "the header is not valid Base64 of UTF-8" };
    const equal =
      typeof value === "number" ? DECIMAL.test(decoded) && Number(decoded) === value : decoded === String(value);
    if (!equal) return { header: name, body: `the header contradicts the body's ${argument}` };
  }
  return undefined;
}

function decode(text: string): string | undefined {
  if (!LOOKS_ENCODED.test(text)) return text;
  const encoded = ENCODED.exec(text)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return utf8.decode(Buffer.from(encoded, "base64"));
  } catch {
    return undefined;
  }
}
