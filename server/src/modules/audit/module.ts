import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { auditRoutes } from "./routes.ts";
import { createAuditLines } from "./store.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    /** 0: kept permanently. */
    readonly "audit.keepAuditDays": number;
  }
}

const PRUNE_MILLISECONDS = 3_600_000;

/** Shows who changed what, and from where. Removes old lines if the operator has configured it. */
export const auditModule = defineModule({
  name: "audit",
  routes: auditRoutes,
  stores: ({ db }) => ({ auditLines: createAuditLines(db) }),
  jobs: ({ stores, clock, settings }) => [
    defineJob({
      name: "prune-audit-log",
      everyMilliseconds: PRUNE_MILLISECONDS,
      async run() {
        const { keepAuditDays: days } = settings;
        if (days > 0) await stores.auditLines.prune(clock.now().subtract({ hours: 24 * days }));
      },
    }),
  ],
});
