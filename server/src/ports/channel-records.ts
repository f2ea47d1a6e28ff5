/** The third parties whose calls are recorded. */
export const thirdParties = ["supplier", "chain", "maps", "fx", "facilitator", "model"] as const;
export type ThirdParty = (typeof thirdParties)[number];

/** The channels that people and agents use. */
const carriers = ["web", "mcp", "slack", "whatsapp", "email"] as const;

export const recordChannels = [...carriers, ...thirdParties] as const;
export type RecordChannel = (typeof carriers)[number] | ThirdParty;

/** A delivery that came in, one that went out, or a call of ours to a third party. */
export const recordDirections = ["in", "out", "call"] as const;

/**
 * - `waiting`: it is still to be done, or is tried again
 * - `done`: received and handled, sent, or answered
 * - `refused`: the other side, or a rule of ours, said no
 * - `failed`: it was given up
 * - `unknown`: it was sent, and its end is not known
 * - `kept`: it may not leave
 */
export const recordStates = ["waiting", "done", "refused", "failed", "unknown", "kept"] as const;
export type RecordState = (typeof recordStates)[number];

/** Without words, addresses, arguments and answers. */
export interface ChannelRecord {
  readonly id: string;
  readonly direction: (typeof recordDirections)[number];
  readonly state: RecordState;
  /** Its kind: a tool, an event's type, a message's kind, or a request. */
  readonly what: string;
  readonly attempts: number;
  /** The status of an HTTP answer. */
  readonly status?: number | undefined;
  readonly problem?: string | undefined;
  readonly latencyMs?: number | undefined;
  /** The other side's own id of it. */
  readonly remoteId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly tripId?: string | undefined;
  readonly runId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly canResend?: boolean;
  readonly at: Temporal.Instant;
}

/** After this one in the list, which is newest first. */
export interface RecordPlace {
  readonly at: Temporal.Instant;
  readonly id: string;
}

export interface RecordFilter {
  readonly channel: RecordChannel;
  readonly state?: RecordState | undefined;
  readonly tripId?: string | undefined;
  readonly traceId?: string | undefined;
  /** Inclusive. */
  readonly from?: Temporal.Instant | undefined;
  /** Exclusive. */
  readonly until?: Temporal.Instant | undefined;
  readonly before?: RecordPlace | undefined;
  readonly limit: number;
}

interface RecordOwner {
  readonly tenantId: string;
  readonly environment: "sandbox" | "production";
}

/** A module's rows as records of channels, newest first: by `at`, then by `id` in the order of its bytes. */
export interface RecordSource {
  readonly channels: readonly RecordChannel[];
  /** False: its rows know no trip. */
  readonly knowsTrips: boolean;
  list(owner: RecordOwner, filter: RecordFilter): Promise<readonly ChannelRecord[]>;
  /** Sends a failed one again. Undefined: there is no such record; `not_failed`: it needs or allows no other attempt. */
  resend?(owner: RecordOwner, id: string): Promise<"waiting" | "not_failed" | undefined>;
}
