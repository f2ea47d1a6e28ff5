import { defineJob } from "../../kernel/job.ts";
import { defineModule } from "../../kernel/module.ts";
import { reconcileEffects } from "./reconcile-effects.ts";
import { createEffects } from "./store.ts";

const RECONCILE_MILLISECONDS = 1_000;

export const effectsModule = defineModule({
  name: "effects",
  stores: ({ db }) => ({
    effects: createEffects(db),
  }),
  jobs: ({ effectUses, processId: workerId, log }) => [
    defineJob({
      name: "reconcile-effects",
      everyMilliseconds: RECONCILE_MILLISECONDS,
      run: () => reconcileEffects(effectUses, { workerId, log }),
    }),
  ],
});
