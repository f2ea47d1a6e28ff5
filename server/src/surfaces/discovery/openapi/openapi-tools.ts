import { formatDecimal } from "../../../domain/money.ts";
import { sayScopes } from "../../../domain/scopes.ts";
import type { CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { DISPATCH_PATH } from "../../dispatch/dispatch.ts";
import { errorAnswers, toolFailureAnswer } from "./openapi-errors.ts";
import { type JsonObject, ref } from "./openapi-json.ts";
import { auditHeaders, meterHeader, replayHeader, SECURITY_SCHEME } from "./openapi-parts.ts";
import { withHeaders } from "./openapi-routes.ts";

const effectWords = {
  read: "Changes nothing.",
  write: "Changes records.",
  spend: "Moves money.",
} as const;

/** A tool's own path: the part after `#` is not sent and only distinguishes the operations of one address. */
export const toolPath = (name: string): string => `${DISPATCH_PATH}#${name}`;

export const argsSchemaName = (name: string): string => `${name}_args`;
export const resultSchemaName = (name: string): string => `${name}_result`;

/** The argument and result schemas of a tool, under the names that its operation references. */
export function toolSchemas({ tool, inputSchema, outputSchema }: CatalogEntry): [string, JsonObject][] {
  return [
    [argsSchemaName(tool.name), inputSchema],
    // Later versions may add members.
    [resultSchemaName(tool.name), { ...outputSchema, additionalProperties: true }],
  ];
}

const EXAMPLE_TENANT = "tenant_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4";

/** A requirement for each scope that is enough. */
export function keyWith(scopes: readonly string[]): JsonObject[] {
  return scopes.length === 0 ? [{ [SECURITY_SCHEME]: [] }] : scopes.map((scope) => ({ [SECURITY_SCHEME]: [scope] }));
}

export function toolOperation(
  { tool, scopes }: CatalogEntry,
  {
    today,
    appUrl,
    exampleTenantId = EXAMPLE_TENANT,
  }: { today: Temporal.PlainDate; appUrl: string; exampleTenantId?: string | undefined },
): JsonObject {
  const price = `${formatDecimal(tool.price, 3)} USDC`;
  return {
    operationId: tool.name,
    tags: [tool.area],
    summary: tool.title,
    description: `${tool.description}\n\n${effectWords[tool.effect]} Scope ${sayScopes(scopes)}, list price ${price}; only successful calls are charged.`,
    "x-scope": scopes.length === 1 ? scopes[0] : scopes,
    "x-effect": tool.effect,
    "x-price-micro-usdc": tool.price.toString(),
    "x-payable-without-key": tool.payableWithoutKey,
    security: keyWith(scopes),
    parameters: [ref("parameters", "IdempotencyKey"), ref("parameters", "Traceparent")],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: requestSchema(tool.name),
          // Named, so that generated types do not change with the date.
          examples: {
            [tool.name]: { value: { tenantId: exampleTenantId, tool: tool.name, args: tool.example(today) } },
          },
        },
      },
    },
    responses: withHeaders(
      {
        "200": {
          description: "The tool's result.",
          headers: { ...meterHeader, ...replayHeader },
          content: { "application/json": { schema: envelopeSchema(tool.name) } },
        },
        ...replayable(errorAnswers(["keyed", "scoped", "input", "body", "call"], [], appUrl), "400"),
        "500": { ...toolFailureAnswer(tool.errors, appUrl), headers: replayHeader },
      },
      auditHeaders,
    ),
  };
}

/** Invalid arguments found by the tool itself are final and replayed like any final answer. */
function replayable(answers: Readonly<Record<string, JsonObject>>, status: string): Record<string, JsonObject> {
  return { ...answers, [status]: { ...answers[status], headers: replayHeader } };
}

function requestSchema(name: string): JsonObject {
  return {
    type: "object",
    required: ["tenantId", "tool", "args"],
    properties: {
      tenantId: { type: "string", description: "The key's own tenant, `tenant_…`" },
      tool: { type: "string", const: name },
      args: ref("schemas", argsSchemaName(name)),
      userId: {
        type: "string",
        minLength: 1,
        maxLength: 128,
        description: "A user of the tenant; default: the key's own service account",
      },
    },
    additionalProperties: false,
  };
}

function envelopeSchema(name: string): JsonObject {
  return {
    type: "object",
    required: ["ok", "result", "latencyMs", "priceMicroUsdc"],
    properties: {
      ok: { type: "boolean", const: true },
      result: ref("schemas", resultSchemaName(name)),
      replayed: { type: "boolean", const: true, description: "The answer of an earlier call; nothing ran again" },
      latencyMs: { type: "number" },
      priceMicroUsdc: { type: "string", pattern: "^\\d+$", description: "What was paid, in micro-USDC" },
    },
  };
}
