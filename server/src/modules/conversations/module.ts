import { defineJob } from "../../kernel/contracts/job.ts";
import { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { defineModule } from "./context.ts";
import type { Conversations } from "./conversations.ts";
import { createConversations } from "./kept-conversations.ts";
import * as conversations from "./migrations/0131-conversations.ts";
import { LiveTurns } from "./running/live-turns.ts";
import { runTurn } from "./running/run-turn.ts";
import { TurnRunner } from "./running/turn-runner.ts";
import { createTurns } from "./store.ts";
import { createConversationPersons } from "./store-persons.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "conversations.conversations": Conversations;
    readonly "conversations.turnRunner": TurnRunner;
    readonly "conversations.liveTurns": LiveTurns;
    readonly "conversations.conversationWaits": RowWaits;
  }
  interface ModuleSettings {
    /** How long a conversation is kept after its last message. */
    readonly "conversations.conversationRetentionDays": number;
  }
}

const PRUNE_MILLISECONDS = 60_000;

export const conversationsModule = defineModule({
  name: "conversations",
  stores: ({ db }) => ({ turns: createTurns(db) }),
  personRecords: ({ db }) => createConversationPersons(db),
  migrations: { "0131-conversations": conversations },
  parts: {
    conversations: (parts) => createConversations(parts),
    turnRunner: ({ stores, liveTurns, news, clock, log, processId, languageModel, identity }) =>
      new TurnRunner({
        turns: stores.turns,
        live: liveTurns,
        news,
        clock,
        log,
        workerId: processId,
        run: (running) => runTurn({ turns: stores.turns, languageModel, identity, clock }, running),
      }),
    liveTurns: () => new LiveTurns(),
    conversationWaits: ({ news }) => new RowWaits(news, "conversation"),
  },
  jobs: ({ turnRunner, stores, clock, settings: { conversationRetentionDays } }) => [
    defineJob({
      name: "run-turns",
      queue: turnRunner.queue,
      run: async () => turnRunner.wake(),
    }),
    defineJob({
      name: "prune-conversations",
      everyMilliseconds: PRUNE_MILLISECONDS,
      async run() {
        await stores.turns.empty();
        await stores.turns.prune(clock.now().subtract({ hours: 24 * conversationRetentionDays }));
      },
    }),
  ],
  stop: ({ turnRunner }) => turnRunner.stop(),
  workTables: [
    {
      table: "conversation_turn",
      kind: "turn of a conversation",
      since: "created_at",
      open: [{ column: "state", in: ["queued", "running"] }],
    },
  ],
});
