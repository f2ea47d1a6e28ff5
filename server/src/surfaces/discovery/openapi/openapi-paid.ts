import { formatDecimal } from "../../../domain/money.ts";
import type { CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { paidEnvelopeSchema } from "../../paid/discovery-extension.ts";
import { PAID_TOOLS_PATH, paidToolPath } from "../../paid/price-tags.ts";
import { errorAnswers, toolFailureAnswer } from "./openapi-errors.ts";
import { type JsonObject, ref } from "./openapi-json.ts";
import { auditHeaders, meterHeader, replayHeader } from "./openapi-parts.ts";
import { withHeaders } from "./openapi-routes.ts";
import { argsSchemaName, keyWith, resultSchemaName } from "./openapi-tools.ts";

const base64 = (description: string): JsonObject => ({ description, schema: { type: "string", format: "byte" } });

/** Headers of the edge host's description, besides the shared ones. */
export const paidHeaders = {
  PaymentRequired: base64("x402, version 2: what the call costs and where to pay. Base64 of JSON."),
  PaymentResponse: base64("x402, version 2: the settlement, or why it failed. Base64 of JSON."),
} as const;

export const paidParameters = {
  PaymentSignature: {
    name: "PAYMENT-SIGNATURE",
    in: "header",
    required: false,
    description: "x402, version 2: the signed payment, base64 of JSON. Without it, the answer is 402 with the terms.",
    schema: { type: "string", format: "byte" },
  },
} as const;

interface PaidPathOptions {
  /** Examples use later dates. */
  today: Temporal.PlainDate;
  appUrl: string;
}

/** A tool's operation for buyers of single calls. */
function paidToolOperation({ tool, scopes }: CatalogEntry, { today, appUrl }: PaidPathOptions): JsonObject {
  const amount = formatDecimal(tool.price);
  const key = keyWith(scopes);
  const errors = errorAnswers(["keyed", "input", "body", "paid"], ["tool_not_found", "in_progress"], appUrl);
  const asked = errors["402"];
  return {
    operationId: tool.name,
    tags: [tool.area],
    summary: tool.title,
    description: `${tool.summary}\n\n${amount} USDC per call, paid with x402; only successful calls are charged.${tool.payableWithoutKey ? "" : " Also needs an API key."}`,
    // For crawlers of x402: https://github.com/Merit-Systems/x402scan, docs/DISCOVERY.md.
    "x-payment-info": { price: { mode: "fixed", currency: "USD", amount }, protocols: [{ x402: {} }] },
    security: tool.payableWithoutKey ? [{}, ...key] : key,
    parameters: [ref("parameters", "PaymentSignature"), ref("parameters", "Traceparent")],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: ref("schemas", argsSchemaName(tool.name)),
          examples: { [tool.name]: { value: tool.example(today) } },
        },
      },
    },
    responses: withHeaders(
      {
        "200": {
          description: "The tool's result, and its settlement.",
          headers: { ...meterHeader, ...replayHeader, "payment-response": ref("headers", "PaymentResponse") },
          content: {
            "application/json": { schema: paidEnvelopeSchema(tool.name, ref("schemas", resultSchemaName(tool.name))) },
          },
        },
        ...errors,
        // Either the terms or the outcome of a failed settlement, never both.
        "402": {
          ...asked,
          headers: {
            "payment-required": ref("headers", "PaymentRequired"),
            "payment-response": ref("headers", "PaymentResponse"),
          },
        },
        "500": toolFailureAnswer(tool.errors, appUrl),
      },
      auditHeaders,
    ),
  };
}

const paidListOperation: JsonObject = {
  operationId: "list_paid_tools",
  tags: ["discovery"],
  summary: "List the tools for sale",
  description:
    "Every tool with its price and the schemas of its arguments and result, and where payments go. With a key: the tools that its scopes allow, at its plan's prices.",
  security: [{}, ...keyWith([])],
  responses: {
    "200": {
      description: "The list.",
      headers: auditHeaders,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["x402Version", "scheme", "network", "asset", "payTo", "tools"],
            properties: {
              x402Version: { const: 2 },
              scheme: { const: "exact" },
              network: { type: "string" },
              asset: { type: "string" },
              payTo: { type: "string" },
              tools: { type: "array", items: { type: "object" } },
            },
          },
        },
      },
    },
  },
};

export const paidPaths = (entries: readonly CatalogEntry[], options: PaidPathOptions): Record<string, JsonObject> => ({
  [PAID_TOOLS_PATH]: { get: paidListOperation },
  ...Object.fromEntries(
    entries.map((entry) => [paidToolPath(entry.tool.name), { post: paidToolOperation(entry, options) }]),
  ),
});
