import { z } from "zod";
import { buildScope } from "../../../domain/scopes.ts";
import type { RouteDescription } from "../../../kernel/contracts/route.ts";
import { CHANNELS } from "../conversations.ts";
import { otherFormats, TurnDocument, TurnEvent } from "./event-schemas.ts";

/** The two bodies that ask for a turn, for the API description. */

const DISPATCH = "/api/agent/dispatch";
const LONGEST_TEXT = 8_000;

const Channel = z.enum(CHANNELS).describe("Where the caller shows the reply; it is returned only in this answer");
const Said = z.string().min(1).max(LONGEST_TEXT).describe("What the user says, in any language");
const ConversationId = z.string().describe("From an earlier turn; omit it to begin a conversation").exactOptional();

const ByInput = z.strictObject({ channel: Channel, input: Said, conversationId: ConversationId });
const ByText = z.strictObject({
  channel: Channel,
  locale: z.string().describe("BCP 47; determines language, dates, currency and tone"),
  tenantId: z.string().describe("The key's own tenant, `tenant_…`"),
  userId: z.string().min(1).max(128).describe("The traveler: a user of the tenant"),
  text: Said,
  conversationId: ConversationId,
});

const shared = {
  method: "POST",
  tag: "conversations",
  access: { scope: buildScope("conversations", "write") },
  isStream: true,
  answers: {
    200: {
      description: "The events of the turn, one per line. The last one has the whole reply and the signature.",
      schema: TurnEvent,
      contentType: "application/x-ndjson",
      otherwise: otherFormats(TurnDocument),
    },
  },
  problems: ["tenant_not_found", "conversation_not_found", "idempotency_mismatch"],
  takesIdempotencyKey: true,
} as const satisfies Partial<RouteDescription>;

export const turnOperations: readonly RouteDescription[] = [
  {
    ...shared,
    id: "converse",
    path: `${DISPATCH}#input`,
    summary: "Say something to the agent",
    description:
      "One turn of a conversation: the agent reads the message, calls tools that the key's scopes allow, and asks before it spends. The turn continues if the caller disconnects. The same Idempotency-Key gives the same turn.",
    body: ByInput,
    example: { body: { channel: "web", input: "Flights from London to New York on 7 March" } },
  },
  {
    ...shared,
    id: "converse_for_traveler",
    path: `${DISPATCH}#text`,
    summary: "Say something for a traveler",
    description:
      "The same for calling agents, which name the traveler and the locale. tenantId and userId are optional and default to the key's.",
    body: ByText,
    example: {
      body: {
        channel: "mcp",
        locale: "de-AT",
        tenantId: "tenant_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
        userId: "user_demo",
        text: "Flüge von Wien nach London am 7. März",
      },
    },
  },
];
