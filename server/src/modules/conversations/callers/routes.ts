import { z } from "zod";
import { buildScope } from "../../../domain/scopes.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../../kernel/contracts/page.ts";
import { defineRoute, defineStream, EventsAnswer } from "../../../kernel/contracts/route.ts";
import type { Parts } from "../context.ts";
import { CHANNELS, type ConversationSummary, TURN_STATUSES, type TurnSummary } from "../conversations.ts";
import { chooseOwner, type UserParts } from "./choose-user.ts";
import { EventsDocument, otherFormats, TurnEvent } from "./event-schemas.ts";
import { UserQuery } from "./user-query.ts";

const CONVERSATION_ID = /^cnv_[0-9A-Z]{26}$/;
const NOT_FOUND = "This traveler has no such conversation with this key.";
const ConversationPath = z.object({ conversationId: z.string().regex(CONVERSATION_ID) });
const SequenceText = z
  .string()
  .refine((text) => /^\d{1,9}$/.test(text), { message: "must be the sequence number of an event, or 0" })
  // A string only because it is in a query.
  .meta({ type: "integer", minimum: 0, default: 0 });

const Conversation = z.object({
  conversationId: z.string(),
  locale: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  turns: z.int(),
  lastSequence: z.int().describe("The number of its last event"),
  isRunning: z.boolean().describe("Whether a turn runs or waits to run"),
});
const Turn = z.object({
  turnId: z.string(),
  state: z.enum(["queued", "running", "ended"]),
  channel: z.enum(CHANNELS),
  text: z.string().nullable().describe("What the user said; null if the service began the turn"),
  status: z.enum(TURN_STATUSES).nullable().describe("null until it has ended"),
  reply: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
  after: z.int().describe("Its events follow this number"),
});

const exampleConversation = {
  conversationId: "cnv_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  locale: "en",
  createdAt: "2030-01-01T09:00:00Z",
  updatedAt: "2030-01-01T09:01:00Z",
  turns: 1,
  lastSequence: 9,
  isRunning: false,
};
const exampleTurn = {
  turnId: "trn_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  state: "ended" as const,
  channel: "web" as const,
  text: "Flights from London to New York on 7 March",
  status: "answered" as const,
  reply: "I found three flights.",
  createdAt: "2030-01-01T09:00:00Z",
  endedAt: "2030-01-01T09:00:02Z",
  after: 0,
};
const exampleEvent = { type: "reply_delta" as const, sequence: 8, at: "2030-01-01T09:00:02Z", text: "I found three" };

type RouteParts = UserParts & Pick<Parts, "conversations">;

const listConversations = defineRoute({
  id: "list_conversations",
  method: "GET",
  path: "/api/conversations",
  tag: "conversations",
  summary: "List conversations",
  description: "The conversations of one traveler, newest first, from every channel.",
  scope: buildScope("conversations", "read"),
  query: z.object({ ...pageQuery(z.string().regex(CONVERSATION_ID, CURSOR_MESSAGE)), ...UserQuery }),
  answers: {
    200: {
      description: "One page.",
      schema: z.object({ conversations: z.array(Conversation), nextCursor: NextCursor }),
    },
  },
  errors: {},
  example: { answer: { conversations: [exampleConversation], nextCursor: null } },
  async run({ principal, query }, parts: RouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const read = (limit: number) => parts.conversations.list(owner, { limit, before: query.cursor });
    const { shown, nextCursor } = await readPage(query, read, ({ conversationId }) => conversationId);
    return { conversations: shown.map(describeConversation), nextCursor };
  },
});

const readConversation = defineRoute({
  id: "get_conversation",
  method: "GET",
  path: "/api/conversations/:conversationId",
  tag: "conversations",
  summary: "Read a conversation",
  description: "The conversation with its last turns, oldest first.",
  scope: buildScope("conversations", "read"),
  params: ConversationPath,
  query: z.object(UserQuery),
  answers: {
    200: { description: "The conversation.", schema: Conversation.extend({ lastTurns: z.array(Turn) }) },
  },
  errors: { not_found: NOT_FOUND },
  example: { answer: { ...exampleConversation, lastTurns: [exampleTurn] } },
  async run({ principal, params, query, fail }, parts: RouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const found = await parts.conversations.read(owner, params.conversationId);
    if (found === undefined) throw fail("not_found");
    return { ...describeConversation(found.conversation), lastTurns: found.turns.map(describeTurn) };
  },
});

const followConversation = defineStream({
  id: "get_conversation_events",
  method: "GET",
  path: "/api/conversations/:conversationId/events",
  tag: "conversations",
  summary: "Follow a conversation",
  description:
    "The events after a number, exactly as first sent, then new ones until no turn is running. To resume after a disconnect, send the number of the last event that arrived complete. Formats as for a turn; server-sent events also accept Last-Event-ID.",
  scope: buildScope("conversations", "read"),
  params: ConversationPath,
  query: z.object({
    after: SequenceText.describe("The number of the last event that the caller has received").exactOptional(),
    ...UserQuery,
  }),
  answers: {
    200: {
      description: "The events, one per line.",
      schema: TurnEvent,
      contentType: "application/x-ndjson",
      otherwise: otherFormats(EventsDocument),
    },
  },
  errors: { not_found: NOT_FOUND },
  example: { answer: exampleEvent },
  async run({ principal, params: { conversationId }, query, header, gone, fail }, parts: RouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    if ((await parts.conversations.read(owner, conversationId)) === undefined) throw fail("not_found");
    const after = Number(query.after ?? SequenceText.safeParse(header("last-event-id")).data ?? 0);
    return new EventsAnswer(parts.conversations.follow(owner, conversationId, { after, signal: gone.signal }));
  },
});

const stopConversation = defineRoute({
  id: "stop_conversation",
  method: "POST",
  path: "/api/conversations/:conversationId/stop",
  tag: "conversations",
  summary: "Stop a conversation's turns",
  description:
    "Ends the running turn and those that wait. A tool call that has begun is finished first, so that its outcome is known; an open confirmation stays open.",
  scope: buildScope("conversations", "write"),
  params: ConversationPath,
  query: z.object(UserQuery),
  answers: {
    200: {
      description: "How many turns were stopped.",
      schema: z.object({ conversationId: z.string(), stoppedTurns: z.int() }),
    },
  },
  errors: { not_found: NOT_FOUND },
  example: { answer: { conversationId: exampleConversation.conversationId, stoppedTurns: 1 } },
  async run({ principal, params: { conversationId }, query, fail }, parts: RouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    const stopped = await parts.conversations.stop(owner, conversationId);
    if (stopped === undefined) throw fail("not_found");
    return { conversationId, stoppedTurns: stopped.stoppedTurns };
  },
});

const deleteConversation = defineRoute({
  id: "delete_conversation",
  method: "DELETE",
  path: "/api/conversations/:conversationId",
  tag: "conversations",
  summary: "Delete a conversation",
  description:
    "Deletes its texts, events, arguments and results. The record of which tools were called, and their cost, stays.",
  scope: buildScope("conversations", "write"),
  params: ConversationPath,
  query: z.object(UserQuery),
  answers: {
    200: {
      description: "The conversation was deleted.",
      schema: z.object({ conversationId: z.string(), deleted: z.literal(true) }),
    },
  },
  errors: { not_found: NOT_FOUND },
  example: { answer: { conversationId: exampleConversation.conversationId, deleted: true } },
  async run({ principal, params: { conversationId }, query, fail }, parts: RouteParts) {
    const owner = await chooseOwner(parts, principal, query.userId);
    if (!(await parts.conversations.delete(owner, conversationId))) throw fail("not_found");
    return { conversationId, deleted: true as const };
  },
});

export const conversationRoutes = [
  listConversations,
  readConversation,
  followConversation,
  stopConversation,
  deleteConversation,
];

function describeConversation({ createdAt, updatedAt, ...conversation }: ConversationSummary) {
  return { ...conversation, createdAt: createdAt.toString(), updatedAt: updatedAt.toString() };
}

function describeTurn({ turnId, state, channel, text, status, reply, createdAt, endedAt, after }: TurnSummary) {
  return {
    turnId,
    state,
    channel,
    text: text ?? null,
    status: status ?? null,
    reply: reply ?? null,
    createdAt: createdAt.toString(),
    endedAt: endedAt?.toString() ?? null,
    after,
  };
}
