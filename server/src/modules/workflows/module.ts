import { defineJob } from "../../kernel/contracts/job.ts";
import type { Workflow } from "../../kernel/contracts/workflow.ts";
import { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { outboxUse } from "../outbox/index.ts";
import { defineModule } from "./context.ts";
import * as workflows from "./migrations/0030-workflows.ts";
import * as pauseReminders from "./migrations/0044-pause-reminders.ts";
import * as openTrips from "./migrations/0055-pauses-of-open-trips.ts";
import * as remindersInOutbox from "./migrations/0112-reminders-in-outbox.ts";
import * as runsAreTold from "./migrations/0145-runs-are-told.ts";
import * as airlineChangesAreTold from "./migrations/0188-airline-changes-are-told.ts";
import { reminderKind, remindOfPauses } from "./pausing/send-reminders.ts";
import { createRunEvents, EXPIRING_PAUSES } from "./pausing/store-pauses.ts";
import { createPauseReminders, PAUSES_TO_REMIND_OF } from "./pausing/store-reminders.ts";
import { replanChangedOrders } from "./replan-changed-orders.ts";
import { workflowRoutes } from "./routes.ts";
import type { RunParts } from "./run-parts.ts";
import { WorkflowRunner } from "./running/runner.ts";
import { createRuns } from "./store.ts";
import { createAirlineChanges, NEW_AIRLINE_CHANGES } from "./store-airline-changes.ts";
import { createInternalTokens, TokenAdministration } from "./store-internal-tokens.ts";
import { createRunningPersons } from "./store-persons.ts";
import { runEvents } from "./tenant-events.ts";
import { cancelRunTool } from "./tools/cancel-run.ts";
import { describeWorkflowsTool } from "./tools/describe-workflows.ts";
import { readRunTool } from "./tools/read-run.ts";
import { resumeRunTool } from "./tools/resume-run.ts";
import { runWorkflow } from "./tools/run-workflow.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** Every workflow that can be run. */
    readonly "workflows.workflows": readonly Workflow[];
    readonly "workflows.workflowRunner": WorkflowRunner;
    readonly "workflows.runWaits": RowWaits;
  }
  interface ModuleSettings {
    /** How long ended runs are kept. */
    readonly "workflows.workflowRetentionDays": number;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "workflows.workflows": RunParts;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const AT_ONCE = 100;

export const workflowsModule = defineModule({
  name: "workflows",
  tools: [describeWorkflowsTool, runWorkflow, readRunTool, resumeRunTool, cancelRunTool],
  routes: workflowRoutes,
  migrations: {
    "0030-workflows": workflows,
    "0044-pause-reminders": pauseReminders,
    "0055-pauses-of-open-trips": openTrips,
    "0112-reminders-in-outbox": remindersInOutbox,
    "0145-runs-are-told": runsAreTold,
    "0188-airline-changes-are-told": airlineChangesAreTold,
  },
  tenantEvents: runEvents,
  stores: ({ db, clock }) => ({
    runs: createRuns(db, clock),
    runEvents: createRunEvents(db, clock),
    pauseReminders: createPauseReminders(db, clock),
    airlineChanges: createAirlineChanges(db),
  }),
  indexes: {
    booking_airline_changes: "on booking (updated_at) where order_schedule_changes <> '[]'::jsonb",
  },
  personRecords: ({ db }) => createRunningPersons(db),
  parts: {
    workflowRunner: ({ stores, workflows: known, chains, kernel, catalog, identity, clock, random, log, processId }) =>
      new WorkflowRunner({
        runs: stores.runs,
        workflows: known,
        kernel,
        catalog,
        identity,
        clock,
        random,
        log,
        workerId: processId,
        collectionAddress: (environment) => chains.home(environment)?.collection.address,
      }),
    runWaits: ({ news }) => new RowWaits(news, "run"),
    internalTokens: ({ db, identity }) => createInternalTokens(db, identity),
    internalTokenAdministration: ({ db, clock, random }) => new TokenAdministration(db, { clock, random }),
  },
  ports: (parts) => ({ workflows: parts }),
  effectUses({ stores, claimKeys, vault, clock, urls, delivery }) {
    if (!delivery.isOpen) return [];
    return [outboxUse({ stores, clock, delivery }, reminderKind({ stores, claimKeys, vault, appUrl: urls.app }))];
  },
  jobs: ({ workflowRunner, stores, clock, settings: { workflowRetentionDays }, ...parts }) => [
    defineJob({
      name: "replan-changed-orders",
      queue: NEW_AIRLINE_CHANGES,
      run: () => replanChangedOrders({ ...parts, workflowRunner, stores, clock }),
    }),
    defineJob({
      name: "execute-runs",
      queue: workflowRunner.queue,
      run: async () => workflowRunner.wake(),
    }),
    defineJob({
      name: "expire-pauses",
      queue: EXPIRING_PAUSES,
      async run() {
        if ((await stores.runs.expire(AT_ONCE)) > 0) workflowRunner.wake();
      },
    }),
    defineJob({
      name: "remind-of-pauses",
      queue: PAUSES_TO_REMIND_OF,
      run: () => remindOfPauses(stores, clock, AT_ONCE),
    }),
    defineJob({
      name: "prune-runs",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.runs.prune(clock.now().subtract({ hours: 24 * workflowRetentionDays })),
    }),
  ],
  stop: ({ workflowRunner }) => workflowRunner.stop(),
  workTables: [
    {
      table: "workflow_run",
      kind: "workflow run",
      since: "created_at",
      open: [{ column: "state", in: ["running"] }],
    },
  ],
});
