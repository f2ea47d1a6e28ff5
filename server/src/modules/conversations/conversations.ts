import type { Environment, Principal } from "../../ports/identity.ts";

/** Where the caller shows the reply. */
export const CHANNELS = ["web", "mcp", "whatsapp", "slack", "email"] as const;
export type Channel = (typeof CHANNELS)[number];

export const EVENT_TYPES = [
  "turn_started",
  "reply_delta",
  "tool_call",
  "tool_result",
  "confirmation_requested",
  "approval_requested",
  "question",
  "turn_ended",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const TURN_STATUSES = [
  "answered",
  "awaits_confirmation",
  "awaits_approval",
  "asked",
  "stopped",
  "failed",
  "limit_reached",
] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

/** The traveler to whom a conversation belongs. */
export interface ConversationOwner {
  readonly tenantId: string;
  readonly environment: Environment;
  /** A user of the tenant, or `svc:<keyId>`. */
  readonly ownerId: string;
}

export interface BeginTurn {
  readonly principal: Principal;
  /** Reads the key again from the database: a write or a spend must not rest on a cached answer. */
  confirmPrincipal(): Promise<Principal | undefined>;
  readonly userId: string | undefined;
  /** Undefined: a new conversation. */
  readonly conversationId: string | undefined;
  readonly channel: Channel;
  /** BCP 47. Undefined: that of the conversation, or English. */
  readonly locale: string | undefined;
  readonly text: string;
  readonly idempotencyKey: string | undefined;
  readonly traceId: string;
  /** The call of a tool that pays for the turn, if there is one. */
  readonly callId?: string | undefined;
  /** True: the same text in the same state of the conversation is the same turn. */
  readonly isNaturallyIdempotent?: boolean;
}

export interface BegunTurn {
  readonly conversationId: string;
  readonly turnId: string;
  /** The turn's events come after this number. */
  readonly after: number;
  /** Set if an earlier call of a tool began the turn. */
  readonly firstCallId?: string | undefined;
}

/** `line` is the event as JSON without newline, exactly as sent the first time. */
export interface StoredEvent {
  readonly sequence: number;
  readonly turnId: string;
  readonly type: EventType;
  readonly line: string;
}

export interface FollowOptions {
  readonly after: number;
  /** Only this turn's events, until it has ended. Left out: all events, until no turn runs or waits. */
  readonly turnId?: string;
  readonly signal: AbortSignal;
}

export interface TurnSummary {
  readonly turnId: string;
  readonly conversationId: string;
  readonly state: "queued" | "running" | "ended";
  readonly channel: Channel;
  /** The user's message. Undefined: the service began the turn, or the text was deleted. */
  readonly text: string | undefined;
  readonly createdAt: Temporal.Instant;
  readonly endedAt: Temporal.Instant | undefined;
  readonly status: TurnStatus | undefined;
  readonly reply: string | undefined;
  readonly after: number;
  /** The last event, `turn_ended`, as it was sent. Undefined until the turn has ended. */
  readonly ended: string | undefined;
}

export interface ConversationSummary {
  readonly conversationId: string;
  readonly locale: string;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
  readonly turns: number;
  readonly lastSequence: number;
  readonly isRunning: boolean;
}

export interface Conversations {
  /**
   * Finds or makes the conversation, stores the message and begins or queues the turn. Fails with `conversation_not_found`,
   * `idempotency_mismatch`, or `rate_limited` where too many turns wait.
   */
  begin(message: BeginTurn): Promise<BegunTurn>;
  /** The stored events after a number, then live ones, whichever process runs the turn. Fails with `conversation_not_found`. */
  follow(owner: ConversationOwner, conversationId: string, options: FollowOptions): AsyncIterable<StoredEvent>;
  readTurn(owner: ConversationOwner, conversationId: string, turnId: string): Promise<TurnSummary | undefined>;
  /** Newest first; `before` is a conversation's id. */
  list(
    owner: ConversationOwner,
    page: { limit: number; before?: string | undefined },
  ): Promise<readonly ConversationSummary[]>;
  /** The conversation with its last turns, oldest first. */
  read(
    owner: ConversationOwner,
    conversationId: string,
  ): Promise<{ conversation: ConversationSummary; turns: readonly TurnSummary[] } | undefined>;
  /** Ends what runs and what is queued: a tool that has begun is finished first. Undefined: no such conversation. */
  stop(owner: ConversationOwner, conversationId: string): Promise<{ stoppedTurns: number } | undefined>;
  /** Deletes texts, events, arguments and results; what was called and paid stays. False: no such conversation. */
  delete(owner: ConversationOwner, conversationId: string): Promise<boolean>;
}

/** The owner of the conversations of a caller who names this user or nobody. */
export function toConversationOwner(
  { tenantId, environment, personId, defaultTravelerId, serviceAccountId }: Principal,
  userId: string | undefined,
): ConversationOwner {
  return { tenantId, environment, ownerId: userId ?? personId ?? defaultTravelerId ?? serviceAccountId };
}
