import { defineModule } from "../../kernel/module.ts";
import { usageEndings } from "./chain-endings.ts";
import * as billing from "./migrations/0002-billing.ts";
import { usageRoutes } from "./routes.ts";
import { createCallReservations } from "./store-reservations.ts";
import { createUsageSettlements } from "./store-settlements.ts";

export const usageModule = defineModule({
  name: "usage",
  needs: ["treasury"],
  routes: usageRoutes,
  stores: ({ db }) => ({
    callReservations: createCallReservations(db),
    usageSettlements: createUsageSettlements(db),
  }),
  migrations: { "0002-billing": billing },
  chainEndings: usageEndings,
});
