import { z } from "zod";
import { Instant } from "../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import { type ChannelRecord, recordChannels, recordDirections, recordStates } from "../../ports/channel-records.ts";
import type { Parts } from "./context.ts";
import { findSources, formatPlace, listRecords, parsePlace } from "./list-records.ts";
import { storeWaitingCalls } from "./write-waiting-calls.ts";

const Channel = z.enum(recordChannels).describe("A channel of people and agents, or a third party");
const text = (description: string) => z.string().nullable().describe(description);

const RecordAnswer = z.object({
  id: z.string(),
  direction: z
    .enum(recordDirections)
    .describe("in: a delivery that came; out: one that went; call: a request to a third party"),
  state: z
    .enum(recordStates)
    .describe(
      "done: handled, sent or answered; refused: by the other side or by a rule; failed: given up; unknown: sent, and the end is not known; kept: may not leave",
    ),
  what: z.string().describe("A tool, an event's type, a message's kind, or a request without its ids"),
  attempts: z.int().describe("A repeated call to a third party is a record of its own"),
  status: z.int().nullable().describe("Of the HTTP answer"),
  problem: text("An error code, or why there is no answer"),
  latencyMilliseconds: z.int().nullable().describe("null: it has not ended, or nobody measured it"),
  remoteId: text("The other side's own id"),
  traceId: text("null: no call caused it"),
  tripId: z.string().nullable(),
  runId: z.string().nullable(),
  conversationId: z.string().nullable(),
  approvalId: z.string().nullable(),
  orderId: z.string().nullable(),
  canResend: z.boolean(),
  createdAt: z.string().meta({ format: "date-time" }),
});

const exampleRecord = {
  id: "out_01JQ0000000000000000000000",
  direction: "call" as const,
  state: "done" as const,
  what: "POST /air/orders",
  attempts: 1,
  status: 201,
  problem: null,
  latencyMilliseconds: 1_840,
  remoteId: "FvxRwfZI2vLBwZ8AAB1B",
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  tripId: null,
  runId: "run_01JQ0000000000000000000000",
  conversationId: null,
  approvalId: null,
  orderId: null,
  canResend: false,
  createdAt: "2030-01-01T09:00:00Z",
};

const listChannelRecords = defineRoute({
  id: "list_channel_records",
  method: "GET",
  path: "/api/channels/:channel/records",
  tag: "usage",
  summary: "List records of a channel",
  description:
    "What came in, went out, or was asked of a third party for the tenant in the environment of the key, newest first: calls of tools (web, mcp), messages (email, slack, whatsapp), the supplier's events, and requests to the supplier, chains, maps, exchange rates, the payment facilitator and language models. Addresses, words, arguments and answers are left out.",
  scope: "usage:read",
  params: z.object({ channel: Channel }),
  query: z.object({
    ...pageQuery(z.string().refine((cursor) => parsePlace(cursor) !== undefined, { message: CURSOR_MESSAGE })),
    state: z.enum(recordStates).exactOptional(),
    from: Instant.describe("Inclusive. ISO 8601 with Z or an offset").exactOptional(),
    to: Instant.describe("Exclusive. ISO 8601 with Z or an offset").exactOptional(),
    tripId: z
      .string()
      .max(80)
      .describe("Calls of tools and the supplier's events know no trip: find those by the trace id")
      .exactOptional(),
    traceId: z
      .string()
      .refine((id) => /^[0-9a-f]{32}$/.test(id), { message: "must be a trace id" })
      .exactOptional(),
  }),
  answers: {
    200: {
      description: "One page of records.",
      schema: z.object({ records: z.array(RecordAnswer).readonly(), nextCursor: NextCursor }),
    },
  },
  errors: {},
  example: { answer: { records: [exampleRecord], nextCursor: null } },
  async run(
    { principal: { tenantId, environment }, params: { channel }, query },
    parts: Pick<Parts, "recordSources" | "stores" | "waitingCalls">,
  ) {
    await storeWaitingCalls(parts);
    const { cursor, state, tripId, traceId, from, to } = query;
    const before = cursor === undefined ? undefined : parsePlace(cursor);
    const filter = { channel, state, tripId, traceId, before, from: toInstant(from), until: toInstant(to) };
    const { shown, nextCursor } = await readPage(
      query,
      (limit) => listRecords(parts.recordSources, { tenantId, environment }, { ...filter, limit }),
      formatPlace,
    );
    return { records: shown.map(describeRecord), nextCursor };
  },
});

const resendChannelRecord = defineRoute({
  id: "resend_channel_record",
  method: "POST",
  path: "/api/channels/:channel/records/:recordId/resend",
  tag: "usage",
  summary: "Send a failed message again",
  description:
    "Gives a message that was given up to its carrier again, within a minute and for up to a day. Nothing is sent if another message for the same reason exists by now.",
  scope: "webhooks:administer",
  params: z.object({ channel: Channel, recordId: z.string().max(100) }),
  answers: {
    200: { description: "It is sent again.", schema: z.object({ id: z.string(), state: z.literal("waiting") }) },
  },
  errors: {
    not_found: "No such record of the channel.",
    conflict: "Only a failed message with its words can be sent again: its record says canResend.",
  },
  example: { answer: { id: "msg_01JQ0000000000000000000000", state: "waiting" } },
  async run(
    { principal: { tenantId, environment }, params: { channel, recordId }, fail },
    { recordSources }: Pick<Parts, "recordSources">,
  ) {
    for (const source of findSources(recordSources, channel)) {
      const end = await source.resend?.({ tenantId, environment }, recordId);
      if (end === "waiting") return { id: recordId, state: end };
      if (end === "not_failed") throw fail("conflict");
    }
    throw fail("not_found");
  },
});

const toInstant = (moment: string | undefined) => (moment === undefined ? undefined : Temporal.Instant.from(moment));

function describeRecord(record: ChannelRecord): z.output<typeof RecordAnswer> {
  const { at, latencyMs, canResend = false } = record;
  return {
    id: record.id,
    direction: record.direction,
    state: record.state,
    what: record.what,
    attempts: record.attempts,
    status: record.status ?? null,
    problem: record.problem ?? null,
    latencyMilliseconds: latencyMs === undefined ? null : Math.round(latencyMs),
    remoteId: record.remoteId ?? null,
    traceId: record.traceId ?? null,
    tripId: record.tripId ?? null,
    runId: record.runId ?? null,
    conversationId: record.conversationId ?? null,
    approvalId: record.approvalId ?? null,
    orderId: record.orderId ?? null,
    canResend,
    createdAt: at.toString(),
  };
}

export const recordRoutes = [listChannelRecords, resendChannelRecord];
