import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";
import { CHANNELS, TURN_STATUSES } from "./conversations.ts";

const Conversation = { conversationId: z.string().describe("For GET /api/conversations/{conversationId}") };
const Turn = { ...Conversation, turnId: z.string() };

const example = { conversationId: "cnv_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4" };
const turnId = "trn_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4";

/** Nobody is told what was said: whoever may read the conversation reads it there. */
export const conversationEvents = [
  defineTenantEvent({
    type: "conversation.turn_ended",
    summary: "The agent has replied, asked something, or given up; status says which.",
    data: z.object({
      ...Turn,
      channel: z.enum(CHANNELS),
      status: z.enum(TURN_STATUSES),
      priceUsdc: z.string().describe("The fees of the turn's calls"),
    }),
    example: { ...example, turnId, channel: "web", status: "answered", priceUsdc: "0.002" },
  }),
  defineTenantEvent({
    type: "conversation.confirmation_requested",
    summary: "A write or a spend waits for the traveler's yes.",
    data: z.object({
      ...Turn,
      tool: z.string().describe("The call that waits"),
      expiresAt: z.string().describe("A later yes shows the question again"),
    }),
    example: { ...example, turnId, tool: "book_flight", expiresAt: "2030-01-01T09:30:00+00:00" },
  }),
  defineTenantEvent({
    type: "conversation.deleted",
    summary: "The conversation was deleted, and with it everything that was said.",
    data: z.object(Conversation),
    example,
  }),
];
