import { z } from "zod";
import { pageQuery } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Parts } from "./context.ts";
import type { TenantEvent } from "./events.ts";
import { endpointRoutes } from "./routes-endpoints.ts";
import { CURSOR } from "./store-events.ts";

const LONGEST_WAIT_SECONDS = 25;

const EventAnswer = z.object({
  id: z.string().describe("The same on every delivery; sent as the header webhook-id"),
  type: z.string(),
  timestamp: z.string().describe("When it happened: ISO 8601, UTC"),
  data: z.record(z.string(), z.unknown()).describe("Ids, states and amounts; read the resource for everything else"),
});

const exampleEvent = {
  id: "evt_3f0c9d1e5b7a4c2d8e6f0a1b2c3d4e5f",
  type: "order.ticketed",
  timestamp: "2030-01-01T09:00:00Z",
  data: { orderId: "ord_0000ABd6wggSct7BoraU1o", event: "ticketed", kind: "flight" },
};

const listEvents = defineRoute({
  id: "list_events",
  method: "GET",
  path: "/api/events",
  tag: "events",
  summary: "Read events",
  description:
    "What happened to the tenant's records, oldest first. Store the cursor and request the events after it; with wait, the request returns with the next event. Events are kept for 30 days.",
  scope: "events:read",
  query: z.object({
    after: z
      .string()
      .refine((text) => text === "end" || CURSOR.test(text), {
        message: "must be a cursor of an earlier answer, or end",
      })
      .describe("The cursor of an earlier answer; end: only later events; default: from the oldest event")
      .exactOptional(),
    types: z.string().max(2_000).describe("Comma-separated types; default: every type").exactOptional(),
    limit: pageQuery(z.string()).limit,
    wait: z
      .string()
      .refine((text) => /^\d{1,2}$/.test(text) && Number(text) <= LONGEST_WAIT_SECONDS, {
        message: `must be a whole number from 0 to ${LONGEST_WAIT_SECONDS}`,
      })
      // A string only because it is in a query.
      .meta({ type: "integer", minimum: 0, maximum: LONGEST_WAIT_SECONDS, default: 0 })
      .describe("Seconds to wait for the next event if there is none yet")
      .exactOptional(),
  }),
  answers: {
    200: {
      description: "The events.",
      schema: z.object({ events: z.array(EventAnswer), cursor: z.string().describe("For the next request") }),
    },
  },
  errors: {},
  example: { answer: { events: [exampleEvent], cursor: "81230-17" } },
  async run(
    { principal: { tenantId, environment, keyId }, query, gone },
    { stores, sharedEvents, eventWaits }: Pick<Parts, "stores" | "sharedEvents" | "eventWaits">,
  ) {
    const owner = { tenantId, environment };
    const after = query.after === "end" ? await stores.tenantEvents.end(owner) : query.after;
    const types = query.types?.split(",").map((type) => type.trim());
    const milliseconds = Number(query.wait ?? 0) * 1_000;
    const found = await eventWaits.wait({
      id: tenantId,
      read: () => sharedEvents.list(owner, { after, types, limit: Number(query.limit ?? 50) }),
      isEnough: (events) => events.length > 0,
      milliseconds,
      owner: keyId,
      // Whoever leaves gives their wait back: a key has only so many.
      signal: milliseconds === 0 ? undefined : gone.signal,
    });
    return { events: found.map(describeEvent), cursor: found.at(-1)?.cursor ?? after ?? "0-0" };
  },
});

const describeEvent = ({ id, type, at, data }: TenantEvent): z.input<typeof EventAnswer> => ({
  id,
  type,
  timestamp: at.toString(),
  data,
});

export const eventRoutes = [listEvents, ...endpointRoutes];
