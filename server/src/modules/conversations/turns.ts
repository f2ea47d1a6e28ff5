import type { Micro } from "../../domain/money.ts";
import type { Channel, ConversationOwner } from "./conversations.ts";

/** One message of the user, or a decided approval, and what follows from it until the reply. */
export interface Turn extends ConversationOwner {
  readonly id: string;
  readonly conversationId: string;
  readonly number: number;
  readonly keyId: string;
  /** The user whom the caller named. */
  readonly userId: string | undefined;
  readonly channel: Channel;
  readonly locale: string;
  readonly text: string | undefined;
  /** The call that a decided approval lets go on. */
  readonly continuesCall: string | undefined;
  readonly traceId: string;
  readonly afterSequence: number;
  readonly isStopped: boolean;
  readonly createdAt: Temporal.Instant;
}

/** Earlier turns have used so much of the conversation's budgets. */
export interface Spent {
  readonly steps: number;
  readonly tokens: number;
  readonly fees: Micro;
  readonly milliseconds: number;
}

/** A turn that this process runs. */
export interface LeasedTurn extends Turn {
  /** The number of the conversation's last event. */
  readonly lastSequence: number;
  readonly spent: Spent;
}

/** A step of the model, as the history has it. */
export interface StoredStep {
  readonly text: string;
  readonly question?: string;
}
