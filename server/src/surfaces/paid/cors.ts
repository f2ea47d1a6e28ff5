import type { HttpAnswer } from "../http/http.ts";
import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER } from "./payment-headers.ts";

/** Any page may buy: its request is signed by a wallet, and the browser adds no credentials. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": [
    PAYMENT_REQUIRED_HEADER,
    PAYMENT_RESPONSE_HEADER,
    "x-service-trace-id",
    "x-service-meter-id",
    "x-service-sig",
    "idempotent-replayed",
    "retry-after",
    "www-authenticate",
  ].join(", "),
};

export function preflight(): HttpAnswer {
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
      // The official client sends the last one with its payment, although it belongs in answers.
      "access-control-allow-headers": `authorization, content-type, accept, traceparent, ${PAYMENT_SIGNATURE_HEADER}, access-control-expose-headers`,
      "access-control-max-age": "86400",
    },
    body: "",
  };
}
