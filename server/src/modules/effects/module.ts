import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { WorkMeter } from "./measure-work.ts";
import * as workIsTold from "./migrations/0119-work-is-told.ts";
import { reconcileEffects } from "./reconcile-effects.ts";
import { createEffects } from "./store.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "effects.workMeter": WorkMeter;
  }
}

const MEASURE_MILLISECONDS = 10_000;

export const effectsModule = defineModule({
  name: "effects",
  migrations: { "0119-work-is-told": workIsTold },
  stores: ({ db, effectFollowers, beside }) => ({ effects: createEffects({ db, effectFollowers, beside }) }),
  parts: { workMeter: ({ db, clock, workTables }) => new WorkMeter(db, clock, workTables) },
  // One job per use: a slow supplier must not delay effects at another one.
  jobs: ({ effectUses, workMeter, processId: workerId, log }) => [
    ...effectUses.map((use) =>
      defineJob({
        name: `reconcile-effects ${use.name}`,
        queue: use.queue,
        run: () => reconcileEffects([use], { workerId, log }),
      }),
    ),
    defineJob({ name: "measure-work", everyMilliseconds: MEASURE_MILLISECONDS, run: () => workMeter.measure() }),
  ],
  gauges: ({ workMeter }) => workMeter.gauges(),
});
