import { defineModule } from "../../kernel/module.ts";
import { travelerRoutes } from "./routes.ts";

export const travelersModule = defineModule({
  name: "travelers",
  needs: ["identity"],
  routes: travelerRoutes,
});
