import { z } from "zod";
import { type Issue, invalidInput } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import { Instant } from "../../domain/schemas.ts";
import { NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import { ForbiddenTarget } from "../../platform/http-client/ssrf-guard.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Parts } from "./context.ts";
import type { Delivery, Endpoint, EventChange } from "./events.ts";
import { newSecret } from "./sign-event.ts";
import { MOST_ENDPOINTS } from "./store-endpoints.ts";

const READS = "events:read";
const ADMINISTERS = "webhooks:administer";
const TAG = "events";
const LONGEST_OVERLAP_HOURS = 24;
const MOST_REPLAYED = 10_000;
const MOST_TEST_CHARACTERS = 4_000;
const NO_ENDPOINT = "This tenant has no endpoint with this id. GET /api/event-endpoints lists them.";
const IS_OFF = "The endpoint is off. Switch it on first.";

type RouteParts = Pick<Parts, "stores" | "reads" | "clock" | "random" | "eventTarget" | "tenantEvents">;

const Types = z
  .array(z.string().max(100))
  .max(100)
  .describe("Event types, such as order.ticketed; empty: every type, including those of later releases");
const Id = z.object({ endpointId: z.string().regex(/^whe_[0-9A-Z]{26}$/) });
const Data = z.record(z.string(), z.unknown());
const Moment = z.string().describe("ISO 8601, UTC");

const EndpointFields = z.strictObject({
  url: z.string().max(2_000).describe("A public https address that receives POST requests"),
  description: z.string().trim().max(200).exactOptional(),
  types: Types.exactOptional(),
});
const EndpointAnswer = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  types: Types,
  state: z.enum(["on", "off"]),
  offBecause: z.string().nullable().describe("Why it is off"),
  failingSince: Moment.nullable().describe("Since when no delivery has succeeded"),
  formerSecretUntil: Moment.nullable().describe("Until then, deliveries are also signed with the previous secret"),
  createdAt: Moment,
  updatedAt: Moment,
});
const WithSecret = EndpointAnswer.extend({
  secret: z.string().describe("For verifying signatures (Standard Webhooks). Shown only once"),
});
const DeliveryAnswer = z.object({
  eventId: z.string(),
  type: z.string(),
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int(),
  lastAttemptAt: Moment.nullable(),
  lastStatus: z.int().nullable().describe("The HTTP status of the last answer"),
  lastProblem: z.string().nullable(),
  nextAttemptAt: Moment.nullable(),
});

const exampleFields = { url: "https://example.com/wayfare", description: "Bookings", types: ["order.ticketed"] };
const exampleEndpoint = {
  ...exampleFields,
  id: "whe_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  state: "on" as const,
  offBecause: null,
  failingSince: null,
  formerSecretUntil: null,
  createdAt: "2030-01-01T09:00:00Z",
  updatedAt: "2030-01-01T09:00:00Z",
};
const exampleSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

const listEndpoints = defineRoute({
  id: "list_event_endpoints",
  method: "GET",
  path: "/api/event-endpoints",
  tag: TAG,
  summary: "List endpoints for events",
  description: "The tenant's endpoints and whether they are on.",
  scope: READS,
  answers: { 200: { description: "The endpoints.", schema: z.object({ endpoints: z.array(EndpointAnswer) }) } },
  errors: {},
  example: { answer: { endpoints: [exampleEndpoint] } },
  async run({ principal: { tenantId, environment } }, { stores }: RouteParts) {
    const endpoints = await stores.endpoints.list({ tenantId, environment });
    return { endpoints: endpoints.map(describeEndpoint) };
  },
});

const addEndpoint = defineRoute({
  id: "add_event_endpoint",
  method: "POST",
  path: "/api/event-endpoints",
  tag: TAG,
  summary: "Add an endpoint for events",
  description: `Events are sent to it from now on; see the page Events. A tenant has at most ${MOST_ENDPOINTS} endpoints.`,
  scope: ADMINISTERS,
  body: EndpointFields,
  answers: { 200: { description: "The endpoint, with its secret.", schema: WithSecret } },
  errors: { conflict: `This tenant has ${MOST_ENDPOINTS} endpoints. Delete one first.` },
  example: { body: exampleFields, answer: { ...exampleEndpoint, secret: exampleSecret } },
  async run({ principal, body, fail }, parts: RouteParts) {
    const { stores, clock, random } = parts;
    const secret = newSecret(random);
    const id = newId("whe_", clock.now().epochMilliseconds);
    const fields = { id, secret, ...readFields(body, parts) };
    const endpoint = await stores.transaction(({ endpoints }) => endpoints.add(toChange(principal), fields));
    if (endpoint === undefined) throw fail("conflict");
    return { ...describeEndpoint(endpoint), secret };
  },
});

const changeEndpoint = defineRoute({
  id: "change_event_endpoint",
  method: "POST",
  path: "/api/event-endpoints/:endpointId",
  tag: TAG,
  summary: "Change an endpoint for events",
  description:
    "Replaces its address, description and types, and switches it on or off. Events that wait for an endpoint fail when it is switched off; replay them when it is on again.",
  scope: ADMINISTERS,
  params: Id,
  body: EndpointFields.extend({ state: z.enum(["on", "off"]) }),
  answers: { 200: { description: "The endpoint.", schema: EndpointAnswer } },
  errors: { not_found: NO_ENDPOINT },
  example: { body: { ...exampleFields, state: "on" }, answer: exampleEndpoint },
  async run({ principal, params: { endpointId }, body, fail }, parts: RouteParts) {
    const change = { ...readFields(body, parts), state: body.state };
    const endpoint = await parts.stores.transaction(({ endpoints }) =>
      endpoints.change(toChange(principal), endpointId, change),
    );
    if (endpoint === undefined) throw fail("not_found");
    return describeEndpoint(endpoint);
  },
});

const removeEndpoint = defineRoute({
  id: "remove_event_endpoint",
  method: "DELETE",
  path: "/api/event-endpoints/:endpointId",
  tag: TAG,
  summary: "Delete an endpoint for events",
  description: "Nothing is sent to it any more. The events stay in GET /api/events.",
  scope: ADMINISTERS,
  params: Id,
  answers: { 200: { description: "The endpoint was deleted.", schema: z.object({ deleted: z.literal(true) }) } },
  errors: { not_found: NO_ENDPOINT },
  example: { answer: { deleted: true } },
  async run({ principal, params: { endpointId }, fail }, { stores }: RouteParts) {
    const isRemoved = await stores.transaction(({ endpoints }) => endpoints.remove(toChange(principal), endpointId));
    if (!isRemoved) throw fail("not_found");
    return { deleted: true } as const;
  },
});

const rotateSecret = defineRoute({
  id: "rotate_event_endpoint_secret",
  method: "POST",
  path: "/api/event-endpoints/:endpointId/rotate",
  tag: TAG,
  summary: "Replace an endpoint's secret",
  description:
    "Returns a new secret. Until the overlap ends, each delivery is signed with both, so that a receiver can switch without losing an event.",
  scope: ADMINISTERS,
  params: Id,
  body: z.strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(LONGEST_OVERLAP_HOURS)
      .default(LONGEST_OVERLAP_HOURS)
      .describe("0: the previous secret ends at once"),
  }),
  isBodyOptional: true,
  answers: { 200: { description: "The endpoint, with its new secret.", schema: WithSecret } },
  errors: { not_found: NO_ENDPOINT },
  example: { body: { overlapHours: 24 }, answer: { ...exampleEndpoint, secret: exampleSecret } },
  async run({ principal, params: { endpointId }, body, fail }, { stores, clock, random }: RouteParts) {
    const secret = newSecret(random);
    const until = clock.now().add({ hours: body.overlapHours });
    const endpoint = await stores.transaction(({ endpoints }) =>
      endpoints.rotate(toChange(principal), endpointId, secret, until),
    );
    if (endpoint === undefined) throw fail("not_found");
    return { ...describeEndpoint(endpoint), secret };
  },
});

const testEndpoint = defineRoute({
  id: "test_event_endpoint",
  method: "POST",
  path: "/api/event-endpoints/:endpointId/test",
  tag: TAG,
  summary: "Send a test event",
  description:
    "Sends an event of the type test with your data to this endpoint only. The endpoint's deliveries show its answer.",
  scope: ADMINISTERS,
  params: Id,
  body: z.strictObject({
    data: Data.default({ hello: "world" }).describe(`At most ${MOST_TEST_CHARACTERS} characters as JSON`),
  }),
  isBodyOptional: true,
  answers: { 200: { description: "The event is on its way.", schema: z.object({ eventId: z.string() }) } },
  errors: { not_found: NO_ENDPOINT, conflict: IS_OFF },
  example: { body: { data: { hello: "world" } }, answer: { eventId: "evt_3f0c9d1e5b7a4c2d8e6f0a1b2c3d4e5f" } },
  async run({ principal: { tenantId, environment }, params, body: { data }, fail }, { stores }: RouteParts) {
    if (JSON.stringify(data).length > MOST_TEST_CHARACTERS) {
      throw invalidInput([{ path: "data", message: `must have at most ${MOST_TEST_CHARACTERS} characters as JSON` }]);
    }
    const owner = { tenantId, environment };
    const endpoint = await stores.endpoints.find(owner, params.endpointId);
    if (endpoint?.state === "off") throw fail("conflict");
    const eventId = await stores.endpoints.sendTest(owner, params.endpointId, data);
    if (eventId === undefined) throw fail("not_found");
    return { eventId };
  },
});

const replayEvents = defineRoute({
  id: "replay_events",
  method: "POST",
  path: "/api/event-endpoints/:endpointId/replay",
  tag: TAG,
  summary: "Send events again",
  description: `Sends the named events, or those of a period, to this endpoint again, in order and with the same ids: at most ${MOST_REPLAYED} at once. Only types that the endpoint receives.`,
  scope: ADMINISTERS,
  params: Id,
  body: z.strictObject({
    eventIds: z.array(z.string().max(100)).min(1).max(200).exactOptional(),
    since: Instant.max(40).describe("Start of the period; instead of eventIds").exactOptional(),
    until: Instant.max(40).describe("End of the period; default: now").exactOptional(),
  }),
  answers: {
    200: { description: "The number of events queued for delivery.", schema: z.object({ replayed: z.int() }) },
  },
  errors: { not_found: NO_ENDPOINT, conflict: IS_OFF },
  example: { body: { since: "2030-01-01T00:00:00Z" }, answer: { replayed: 12 } },
  async run({ principal: { tenantId, environment }, params, body, fail }, { stores, clock }: RouteParts) {
    const { eventIds, since, until } = body;
    if ((eventIds === undefined) === (since === undefined)) {
      throw invalidInput([{ path: "", message: "must have either eventIds or since" }]);
    }
    const owner = { tenantId, environment };
    const endpoint = await stores.endpoints.find(owner, params.endpointId);
    if (endpoint === undefined) throw fail("not_found");
    if (endpoint.state === "off") throw fail("conflict");
    const at = (text: string | undefined) => (text === undefined ? clock.now() : Temporal.Instant.from(text));
    const which = eventIds === undefined ? { since: at(since), until: at(until) } : { eventIds };
    return { replayed: await stores.deliveries.replay(owner, params.endpointId, which, MOST_REPLAYED) };
  },
});

const listDeliveries = defineRoute({
  id: "list_event_deliveries",
  method: "GET",
  path: "/api/event-endpoints/:endpointId/deliveries",
  tag: TAG,
  summary: "List an endpoint's deliveries",
  description: "What was sent to the endpoint, newest first, and how it answered.",
  scope: READS,
  params: Id,
  query: z.object({
    ...pageQuery(z.string().regex(/^\d{1,18}$/)),
    state: DeliveryAnswer.shape.state.describe("Only deliveries in this state").exactOptional(),
  }),
  answers: {
    200: {
      description: "One page of deliveries.",
      schema: z.object({ deliveries: z.array(DeliveryAnswer), nextCursor: NextCursor }),
    },
  },
  errors: { not_found: NO_ENDPOINT },
  async run({ principal: { tenantId, environment }, params, query, fail }, { stores, reads }: RouteParts) {
    const endpoint = await stores.endpoints.find({ tenantId, environment }, params.endpointId);
    if (endpoint === undefined) throw fail("not_found");
    const before = query.cursor === undefined ? undefined : BigInt(query.cursor);
    const { shown, nextCursor } = await readPage(
      query,
      (limit) =>
        reads(tenantId, ({ deliveries }) => deliveries.list(endpoint.id, { before, limit, state: query.state })),
      ({ position }) => position.toString(),
    );
    return { deliveries: shown.map(describeDelivery), nextCursor };
  },
});

const toChange = ({ tenantId, environment, personId, serviceAccountId }: Principal): EventChange => ({
  tenantId,
  environment,
  actor: personId ?? serviceAccountId,
});

/** Throws `invalid_input` with every mistake. */
function readFields(
  { url, description = "", types = [] }: z.output<typeof EndpointFields>,
  { eventTarget, tenantEvents }: Pick<RouteParts, "eventTarget" | "tenantEvents">,
) {
  const known = new Set(tenantEvents.map(({ type }) => type));
  const issues: Issue[] = [];
  for (const [at, type] of types.entries()) {
    if (!known.has(type))
      issues.push({ path: `types.${at}`, message: "is not an event type; the page Events lists them" });
  }
  try {
    eventTarget.checkUrl(url);
  } catch (error) {
    if (!(error instanceof ForbiddenTarget)) throw error;
    issues.push({ path: "url", message: `must be a public https address on port 443 (${error.message})` });
  }
  if (issues.length > 0) throw invalidInput(issues);
  return { url, description, types: [...new Set(types)] };
}

function describeEndpoint(endpoint: Endpoint): z.input<typeof EndpointAnswer> {
  const { id, url, description, types, state, offBecause, failingSince, formerUntil, createdAt, updatedAt } = endpoint;
  return {
    id,
    url,
    description,
    types: [...types],
    state,
    offBecause: offBecause ?? null,
    failingSince: failingSince?.toString() ?? null,
    formerSecretUntil: formerUntil?.toString() ?? null,
    createdAt: createdAt.toString(),
    updatedAt: updatedAt.toString(),
  };
}

function describeDelivery(delivery: Delivery): z.input<typeof DeliveryAnswer> {
  const { eventId, type, state, attempts, lastAttemptAt, lastStatus, lastProblem, nextAt } = delivery;
  return {
    eventId,
    type,
    state,
    attempts,
    lastAttemptAt: lastAttemptAt?.toString() ?? null,
    lastStatus: lastStatus ?? null,
    lastProblem: lastProblem ?? null,
    nextAttemptAt: nextAt?.toString() ?? null,
  };
}

export const endpointRoutes = [
  listEndpoints,
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
  replayEvents,
  listDeliveries,
];
