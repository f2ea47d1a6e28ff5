import { defineJob } from "../../kernel/contracts/job.ts";
import { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import type { AgentTurnParts } from "./agents/agent-turns.ts";
import { type BudgetSettings, readBudgets } from "./budgets.ts";
import { type Converse, converse } from "./callers/converse.ts";
import { conversationRoutes } from "./callers/routes.ts";
import { turnOperations } from "./callers/turn-operations.ts";
import { defineModule, type Parts } from "./context.ts";
import type { Conversations } from "./conversations.ts";
import { goOnAfterApprovals } from "./go-on-after-approvals.ts";
import { createConversations } from "./kept-conversations.ts";
import { linkRoutes } from "./links/routes-links.ts";
import { createConversationLinks } from "./links/store-links.ts";
import * as conversations from "./migrations/0131-conversations.ts";
import * as decidedApprovals from "./migrations/0133-decided-approvals.ts";
import * as conversationLinks from "./migrations/0134-conversation-links.ts";
import * as conversationsAreTold from "./migrations/0156-conversations-are-told.ts";
import * as turnsOfCalls from "./migrations/0158-turns-of-calls.ts";
import { OfferedTools } from "./model-input/offered-tools.ts";
import { LiveTurns } from "./running/live-turns.ts";
import { runTurn } from "./running/run-turn.ts";
import type { LoopOptions } from "./running/turn-context.ts";
import { TurnRunner } from "./running/turn-runner.ts";
import { createTurns } from "./store.ts";
import { DECIDED_APPROVALS } from "./stores/store-approvals.ts";
import { createConversationPersons } from "./stores/store-persons.ts";
import { conversationEvents } from "./tenant-events.ts";
import { askTravelAgent } from "./tools/ask-travel-agent.ts";
import { readAgentTurnTool } from "./tools/read-agent-turn.ts";

type ConversationSettings = {
  readonly [Name in keyof BudgetSettings as `conversations.${Name}`]: BudgetSettings[Name];
};

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    readonly "conversations.agentTurns": AgentTurnParts;
  }
}

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "conversations.conversations": Conversations;
    readonly "conversations.converse": Converse;
    readonly "conversations.turnRunner": TurnRunner;
    readonly "conversations.liveTurns": LiveTurns;
    readonly "conversations.conversationWaits": RowWaits;
  }
  interface ModuleSettings extends ConversationSettings {
    /** How long a conversation is kept after its last message. */
    readonly "conversations.conversationRetentionDays": number;
    /** How long a model may show no progress. */
    readonly "conversations.conversationModelSeconds": number;
    readonly "conversations.conversationConfirmationMinutes": number;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const GO_ON_AT_ONCE = 50;

/** The kernel is made from all parts, and asked only when a turn runs. */
function buildLoopOptions(parts: Parts): LoopOptions {
  const { stores, catalog, languageModel, identity, settings, clock, log } = parts;
  return {
    turns: stores.turns,
    travelerRecords: stores.travelerRecords,
    kernel: parts.kernel,
    catalog,
    offeredTools: new OfferedTools(catalog),
    languageModel,
    identity,
    budgets: readBudgets(settings),
    modelSilenceMilliseconds: settings.conversationModelSeconds * 1_000,
    confirmationMinutes: settings.conversationConfirmationMinutes,
    clock,
    log,
  };
}

export const conversationsModule = defineModule({
  name: "conversations",
  tools: [askTravelAgent, readAgentTurnTool],
  routes: [...linkRoutes, ...conversationRoutes],
  operations: turnOperations,
  stores: ({ db, clock }) => ({ turns: createTurns(db), conversationLinks: createConversationLinks(db, clock) }),
  ports: (parts) => ({ agentTurns: parts }),
  personRecords: ({ db }) => createConversationPersons(db),
  migrations: {
    "0131-conversations": conversations,
    "0133-decided-approvals": decidedApprovals,
    "0134-conversation-links": conversationLinks,
    "0156-conversations-are-told": conversationsAreTold,
    "0158-turns-of-calls": turnsOfCalls,
  },
  tenantEvents: conversationEvents,
  parts: {
    conversations: (parts) => createConversations(parts),
    converse: (parts) => (message) => converse(parts, message),
    turnRunner(parts) {
      const { stores, liveTurns, news, clock, log, processId } = parts;
      const options = buildLoopOptions(parts);
      return new TurnRunner({
        turns: stores.turns,
        live: liveTurns,
        news,
        clock,
        log,
        workerId: processId,
        run: (running) => runTurn(options, running),
      });
    },
    liveTurns: () => new LiveTurns(),
    conversationWaits: ({ news }) => new RowWaits(news, "conversation"),
  },
  jobs: ({ turnRunner, stores, clock, random, settings: { conversationRetentionDays } }) => [
    defineJob({
      name: "run-turns",
      queue: turnRunner.queue,
      run: async () => turnRunner.wake(),
    }),
    defineJob({
      name: "go-on-after-approvals",
      queue: DECIDED_APPROVALS,
      run: () => goOnAfterApprovals({ turns: stores.turns, turnRunner, clock, random }, GO_ON_AT_ONCE),
    }),
    defineJob({
      name: "prune-conversations",
      everyMilliseconds: PRUNE_MILLISECONDS,
      async run() {
        await stores.conversationLinks.prune();
        await stores.turns.empty();
        await stores.turns.prune(clock.now().subtract({ hours: 24 * conversationRetentionDays }));
      },
    }),
  ],
  facts: async ({ languageModel }) => [{ label: "model", text: languageModel.name }],
  account: ({ languageModel }) => ({ facts: { languageModel: languageModel.name } }),
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
