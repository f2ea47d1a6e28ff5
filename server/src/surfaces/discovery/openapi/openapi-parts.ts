import { type ToolArea, toolAreas } from "../../../domain/scopes.ts";
import { METER_ID_HEADER, SIGNATURE_HEADER, TRACE_ID_HEADER } from "../../http/audit-headers.ts";
import { type JsonObject, ref } from "./openapi-json.ts";

/** The parts that operations share. */

export const SECURITY_SCHEME = "apiKey";
export const INTERNAL_SCHEME = "internalToken";

const areaDescriptions: Readonly<Record<ToolArea, string>> = {
  flights: "Search, book, change and cancel flights.",
  stays: "Search, quote and book stays.",
  treasury: "Balances, transfers and swaps of the tenant's wallets.",
  escrow: "Prefunded trips, and the bookings reserved, committed and settled from them.",
  policy: "Corporate travel policy and pricing policy.",
  reputation: "Agents' ratings and validations.",
  trip: "Help around a trip: places, weather, safety, transfers, delays.",
  documents: "Scans of travel documents, and countries' entry rules.",
  account: "The permissions of the caller's tenant and key, and previews of calls.",
  travelers: "Profiles of the tenant's users.",
  usage: "Calls and their costs.",
  workflows: "Whole bookings that pause for people and events, and continue by themselves.",
  approvals: "Calls that wait for a person's decision.",
  conversations: "What travelers say to the built-in agent, and what it does.",
  events: "What happened to the tenant's records, as a feed or sent to endpoints.",
};

/** Groups of operations that are not tool areas. */
const otherDescriptions = {
  channels: "Slack workspaces and email addresses at which people converse, approvals in Slack, and notices to people.",
  orders: "Bookings and their current state.",
  keys: "API keys: made, rotated and revoked by people who administer them.",
  members: "The people who work for a tenant: invited, changed and removed by those of them who administer.",
  sandbox: "The simulators of the sandbox: faults, the supplier's clock, changes by airlines, and both sides' books.",
  tenants: "Tenants and their plans: each sees its own, and the operator all of them.",
  audit: "Who changed what, when, and from where.",
  mcp: "The same tools over the Model Context Protocol.",
  health: "For probes and load balancers.",
  discovery: "Descriptions of this service for people, agents and tools.",
} as const;

/** In display order. */
export const tags: readonly { name: string; description: string }[] = [
  ...toolAreas.map((name) => ({ name, description: areaDescriptions[name] })),
  ...Object.entries(otherDescriptions).map(([name, description]) => ({ name, description })),
];

const text = (description: string, rest: JsonObject = {}): JsonObject => ({
  description,
  schema: { type: "string", ...rest },
});

export const components = {
  securitySchemes: {
    [SECURITY_SCHEME]: {
      type: "http",
      scheme: "bearer",
      description: "A tenant's API key, `ak_…`. Operations list the scope that the key needs.",
    },
    [INTERNAL_SCHEME]: {
      type: "http",
      scheme: "bearer",
      description:
        "An internal token, `itk_…`, of one of the operator's systems. It acts for the tenants that it is bound to.",
    },
  },
  headers: {
    TraceId: text("Id of this call, for support and for matching with usage records.", { pattern: "^[0-9a-f]{32}$" }),
    MeterId: text("Id of the usage record; absent when nothing was recorded."),
    Signature: text(
      "`t=<unix seconds>,v1=<hex>`: v1 is the HMAC-SHA256 of `<t>.<trace id>.<body>` with the tenant's signing secret, so that a replayed answer can be detected.",
      { pattern: "^t=\\d+,v1=[0-9a-f]{64}$" },
    ),
    IdempotentReplayed: text("`true` when an earlier call with this Idempotency-Key already had this answer."),
    RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
    WwwAuthenticate: text("The scheme to use."),
  },
  parameters: {
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      description:
        "Kept for 24 hours per tenant, user and tool. The same key with the same body returns the first answer: no second run, no second charge.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    },
    Traceparent: {
      name: "traceparent",
      in: "header",
      description: "W3C trace context; the call continues its trace.",
      schema: { type: "string", pattern: "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$" },
    },
  },
} as const;

/** RFC 9457 with this service's additional members. */
export const problemSchema: JsonObject = {
  type: "object",
  description: "RFC 9457. Codes may add further members.",
  required: ["type", "title", "status", "ok", "code", "detail", "retryable", "traceId"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    ok: { const: false },
    code: { type: "string" },
    detail: { type: "string", description: "What to do next." },
    retryable: { type: "boolean", description: "Whether the same call can succeed if sent again later." },
    traceId: { type: "string" },
    issues: {
      type: "array",
      description: "With invalid_input: the problems and their paths.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

export const auditHeaders: JsonObject = {
  [TRACE_ID_HEADER]: ref("headers", "TraceId"),
  [SIGNATURE_HEADER]: ref("headers", "Signature"),
};

export const meterHeader: JsonObject = { [METER_ID_HEADER]: ref("headers", "MeterId") };

export const replayHeader: JsonObject = { "idempotent-replayed": ref("headers", "IdempotentReplayed") };
