import { defineJob } from "../../kernel/job.ts";
import { defineModule } from "../../kernel/module.ts";
import { KeptApprovals } from "./kept-approvals.ts";
import * as approvals from "./migrations/0033-approvals.ts";
import { approvalRoutes } from "./routes.ts";
import { linkRoutes } from "./routes-links.ts";
import { createApprovals } from "./store.ts";

const SETTLE_MILLISECONDS = 2_000;
const SETTLED_AT_ONCE = 200;

export const approvalsModule = defineModule({
  name: "approvals",
  needs: ["identity", "policy"],
  routes: [...approvalRoutes, ...linkRoutes],
  stores: ({ db, clock }) => ({ approvals: createApprovals(db, clock) }),
  migrations: { "0033-approvals": approvals },
  parts: { approvals: ({ stores, clock, random }) => new KeptApprovals({ stores, clock, random }) },
  jobs: ({ stores }) => [
    defineJob({
      name: "settle-approvals",
      everyMilliseconds: SETTLE_MILLISECONDS,
      run: () => stores.approvals.settleAll(SETTLED_AT_ONCE),
    }),
  ],
});
