import { defineModule } from "./context.ts";
import { sandboxRoutes } from "./routes.ts";
import { createSandboxLog } from "./store.ts";

/** The simulators of the sandbox, for people who administer it: faults, clock, changes by airlines, and both sides' books. */
export const sandboxModule = defineModule({
  name: "sandbox",
  routes: sandboxRoutes,
  stores: ({ db, clock }) => ({ sandboxLog: createSandboxLog(db, clock) }),
});
