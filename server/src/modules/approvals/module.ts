import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { mayDecideSome } from "./decide-approval.ts";
import type { Directions } from "./find-deciders.ts";
import { KeptApprovals } from "./kept-approvals.ts";
import * as approvals from "./migrations/0033-approvals.ts";
import * as approvalUses from "./migrations/0076-approval-uses.ts";
import * as approvedFares from "./migrations/0086-approved-fares.ts";
import * as rejectedPurchases from "./migrations/0108-rejected-purchases.ts";
import * as approvalsAreTold from "./migrations/0144-approvals-are-told.ts";
import { approvalRoutes } from "./routes.ts";
import { linkRoutes } from "./routes-links.ts";
import { APPROVALS_TO_GIVE_BACK, createApprovals } from "./store.ts";
import { createApprovalPersons } from "./store-persons.ts";
import { approvalEvents } from "./tenant-events.ts";
import { listApprovals } from "./tools/list-approvals.ts";
import { readApproval } from "./tools/read-approval.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "approvals.approvalDirections": Directions;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const SETTLED_AT_ONCE = 200;

export const approvalsModule = defineModule({
  name: "approvals",
  tools: [listApprovals, readApproval],
  routes: [...approvalRoutes, ...linkRoutes],
  stores: ({ db, clock }) => ({ approvals: createApprovals(db, clock) }),
  personRecords: ({ db }) => createApprovalPersons(db),
  migrations: {
    "0033-approvals": approvals,
    "0076-approval-uses": approvalUses,
    "0086-approved-fares": approvedFares,
    "0108-rejected-purchases": rejectedPurchases,
    "0144-approvals-are-told": approvalsAreTold,
  },
  tenantEvents: approvalEvents,
  account: async ({ stores }, { tenantId, environment }) => ({
    setUp: [
      {
        what: "People who approve calls when a travel policy requires it.",
        isSet: (await stores.persons.list({ tenantId, environment })).some(mayDecideSome),
        how: `The operator runs npm run user -- add --tenant ${tenantId} --name <name> --email <address> --roles approver.`,
        page: "approvals",
      },
    ],
  }),
  effectFollower: { opened: (aggregates, callId) => aggregates.approvals.takeAgain(callId) },
  parts: {
    approvals({ stores, clock, random, vault, urls, delivery }) {
      const mail = { vault, origin: new URL(urls.app).origin, delivery };
      return new KeptApprovals({ stores, clock, random, mail, appUrl: urls.app });
    },
  },
  ports: ({ urls, delivery }) => ({
    approvalDirections: { appUrl: urls.app, canMail: (owner) => delivery.canMail(owner) },
  }),
  jobs: ({ stores }) => [
    defineJob({
      name: "settle-approvals",
      queue: APPROVALS_TO_GIVE_BACK,
      run: () => stores.approvals.settleAll(SETTLED_AT_ONCE),
    }),
    defineJob({
      name: "prune-approvals",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.approvals.prune(),
    }),
  ],
});
