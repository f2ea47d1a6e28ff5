import type { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { beginConversationTurn } from "./begin-turn.ts";
import type { Parts } from "./context.ts";
import type { Conversations } from "./conversations.ts";
import { followEvents } from "./follow-events.ts";
import type { LiveTurns } from "./running/live-turns.ts";
import type { TurnRunner } from "./running/turn-runner.ts";

type ConversationParts = Pick<Parts, "stores" | "clock" | "random"> & {
  turnRunner: TurnRunner;
  liveTurns: LiveTurns;
  conversationWaits: RowWaits;
};

export function createConversations({
  stores: { turns },
  clock,
  random,
  turnRunner,
  liveTurns: live,
  conversationWaits,
}: ConversationParts): Conversations {
  return {
    begin: (message) => beginConversationTurn({ turns, turnRunner, clock, random }, message),
    follow: (owner, conversationId, options) =>
      followEvents({ turns, live, conversationWaits }, owner, conversationId, options),
    readTurn: async (owner, conversationId, turnId) => (await turns.turns(owner, conversationId, turnId))[0],
    list: (owner, page) => turns.conversations(owner, page),
    async read(owner, id) {
      const [conversation] = await turns.conversations(owner, { limit: 1, id });
      if (conversation === undefined) return undefined;
      return { conversation, turns: await turns.turns(owner, id) };
    },
    stop: (owner, conversationId) => turns.stop(owner, conversationId),
    async delete(owner, conversationId) {
      const isOwn = await turns.markDeleted(owner, conversationId, clock.now());
      live.forget(conversationId, owner);
      // A turn that still runs ends soon, and a job empties it.
      if (isOwn) await turns.empty();
      return isOwn;
    },
  };
}
