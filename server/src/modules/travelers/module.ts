import { defineModule } from "../../kernel/module.ts";

export const travelersModule = defineModule({
  name: "travelers",
  needs: ["identity"],
});
