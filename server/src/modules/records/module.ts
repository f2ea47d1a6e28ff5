import { defineJob } from "../../kernel/contracts/job.ts";
import { thirdParties } from "../../ports/channel-records.ts";
import { defineModule } from "./context.ts";
import * as outsideCalls from "./migrations/0149-outside-calls.ts";
import { recordRoutes } from "./routes.ts";
import { createOutsideCalls } from "./store.ts";
import { storeWaitingCalls } from "./write-waiting-calls.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    readonly "records.keepRecordsDays": number;
  }
}

const STORE_MILLISECONDS = 2_000;
const PRUNE_MILLISECONDS = 3_600_000;

/** Shows what came in and went out by each channel. Stores the calls to third parties, which leave no other row. */
export const recordsModule = defineModule({
  name: "records",
  routes: recordRoutes,
  migrations: { "0149-outside-calls": outsideCalls },
  stores: ({ db }) => ({ outsideCalls: createOutsideCalls(db) }),
  personRecords: () => ({
    tables: { notSearched: { outside_call: "a call has ids, states and times, and is kept as long as configured" } },
  }),
  recordSources: ({ stores: { outsideCalls: calls } }) => [
    { channels: thirdParties, knowsTrips: true, list: (owner, filter) => calls.list(owner, filter) },
  ],
  jobs: (parts) => [
    defineJob({
      name: "store-outside-calls",
      everyMilliseconds: STORE_MILLISECONDS,
      run: () => storeWaitingCalls(parts),
    }),
    defineJob({
      name: "prune-outside-calls",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => {
        const { keepRecordsDays: days } = parts.settings;
        return parts.stores.outsideCalls.prune(parts.clock.now().subtract({ hours: 24 * days }));
      },
    }),
  ],
  gauges: ({ waitingCalls }) => [
    {
      name: "wayfare_outside_call_records_dropped",
      help: "Records of calls to third parties that were dropped because too many waited to be stored.",
      read: () => [{ value: waitingCalls.dropped }],
    },
  ],
  stop: (parts) => storeWaitingCalls(parts),
});
