import { defineModule } from "../../kernel/module.ts";
import { createEffects } from "./store.ts";

export const effectsModule = defineModule({
  name: "effects",
  stores: ({ db }) => ({
    effects: createEffects(db),
  }),
});
