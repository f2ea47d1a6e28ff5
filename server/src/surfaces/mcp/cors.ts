import type { HttpAnswer } from "../http/http.ts";

const PREFLIGHT_SECONDS = "600";

/** For pages of allowed origins. The page sends the key, not the browser, so no credentials are allowed. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    vary: "Origin",
    "access-control-expose-headers":
      "x-service-trace-id, x-service-meter-id, x-service-sig, idempotent-replayed, retry-after, www-authenticate",
  };
}

export function preflight(): HttpAnswer {
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "POST",
      "access-control-allow-headers":
        "authorization, content-type, accept, idempotency-key, traceparent, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id",
      "access-control-max-age": PREFLIGHT_SECONDS,
    },
    body: "",
  };
}
