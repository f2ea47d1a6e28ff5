import type { Answer, TestService } from "./service.ts";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export type Era = "modern" | "legacy";

export interface SendOptions {
  era?: Era;
  key?: string | undefined;
  id?: unknown;
  meta?: Record<string, unknown>;
  headers?: Readonly<Record<string, string>>;
  path?: string;
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One message as a client of its era sends it. */
export function toMessage(method: string, params: Record<string, unknown>, options: SendOptions = {}) {
  const { era = "modern", id = 1, meta } = options;
  const _meta = era === "modern" ? { ...envelope, ...meta } : meta;
  const { name } = params;
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": era === "modern" ? MODERN : LEGACY,
    ...(era === "modern" ? { "mcp-method": method } : {}),
    ...(era === "modern" && typeof name === "string" ? { "mcp-name": name } : {}),
  };
  const message = { jsonrpc: "2.0", id, method, params: _meta === undefined ? params : { ...params, _meta } };
  return { headers, message };
}

/** Sends it over plain HTTP. */
export function sendMcp(
  service: TestService,
  method: string,
  params: Record<string, unknown>,
  options: SendOptions = {},
): Promise<Answer> {
  const { headers, message } = toMessage(method, params, options);
  const key = "key" in options ? options.key : service.apiKey;
  return service.send(options.path ?? "/api/mcp", {
    method: "POST",
    headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...options.headers },
    body: JSON.stringify(message),
  });
}
