import type { Queryable } from "../../platform/database/database.ts";
import type { ConversationOwner } from "./conversations.ts";
import { type DecidedCall, endAskedCall, findCall, listDecidedCalls } from "./stores/store-approvals.ts";
import { beginTurn, type NewTurn } from "./stores/store-begin.ts";
import { emptyConversations, markDeleted, pruneConversations } from "./stores/store-deletes.ts";
import { readHistory } from "./stores/store-history.ts";
import { findNextEnd, leaveTurns, stopTurns, takeTurns, touchTurns } from "./stores/store-leases.ts";
import { readConversations, readEvents, readResults, readTurns } from "./stores/store-reads.ts";
import { type TurnChanges, writeTurn } from "./stores/store-write.ts";
import type { LeasedTurn } from "./turns.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "conversations.turns": Turns;
  }
}

/** Joins the caller's transaction if `db` is one. */
export function createTurns(db: Queryable) {
  return {
    begin: (turn: NewTurn, startedLine: string) => beginTurn(db, turn, startedLine),
    write: (turn: LeasedTurn, changes: TurnChanges) => writeTurn(db, turn, changes),
    take: (lease: Parameters<typeof takeTurns>[1], which: Parameters<typeof takeTurns>[2]) =>
      takeTurns(db, lease, which),
    touch: (lease: Parameters<typeof touchTurns>[1], ids: readonly string[]) => touchTurns(db, lease, ids),
    findNextEnd: (workerId: string) => findNextEnd(db, workerId),
    leave: (workerId: string) => leaveTurns(db, workerId),
    stop: (owner: ConversationOwner, conversationId: string) => stopTurns(db, owner, conversationId),
    events: (owner: ConversationOwner, conversationId: string, options: Parameters<typeof readEvents>[3]) =>
      readEvents(db, owner, conversationId, options),
    turns: (owner: ConversationOwner, conversationId: string, turnId?: string) =>
      readTurns(db, owner, conversationId, turnId),
    results: (owner: ConversationOwner, turnId: string) => readResults(db, owner, turnId),
    conversations: (owner: ConversationOwner, page: Parameters<typeof readConversations>[2]) =>
      readConversations(db, owner, page),
    markDeleted: (owner: ConversationOwner, conversationId: string, now: Temporal.Instant) =>
      markDeleted(db, owner, conversationId, now),
    history: (turn: LeasedTurn) => readHistory(db, turn),
    decidedCalls: (now: Temporal.Instant, limit: number) => listDecidedCalls(db, now, limit),
    endAskedCall: (call: DecidedCall) => endAskedCall(db, call),
    findCall: (owner: Parameters<typeof findCall>[1], callId: string) => findCall(db, owner, callId),
    empty: () => emptyConversations(db),
    prune: (before: Temporal.Instant) => pruneConversations(db, before),
  };
}

export type Turns = ReturnType<typeof createTurns>;
