import { defineModule } from "../../kernel/module.ts";

export const demoModule = defineModule({
  name: "demo",
  needs: ["travelers"],
});
