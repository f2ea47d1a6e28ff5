import type { AccountFacts } from "../../kernel/contracts/account.ts";
import { ReadyPolicies } from "./active-policies.ts";
import { defineModule, type Stores } from "./context.ts";
import * as travelPolicies from "./migrations/0026-travel-policies.ts";
import * as policyChangesAreTold from "./migrations/0074-policy-changes-are-told.ts";
import * as enforcementIsARule from "./migrations/0078-enforcement-is-a-rule.ts";
import type { ActivePolicies, Owner } from "./policies.ts";
import { PolicyGate } from "./policy-gate.ts";
import { policyRoutes } from "./routes.ts";
import { createTravelPolicies } from "./store.ts";
import { createPolicyPersons } from "./store-persons.ts";
import { checkPolicy } from "./tools/check-policy.ts";
import { readPolicy } from "./tools/read-policy.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "policy.activePolicies": ActivePolicies;
  }
}

export const policyModule = defineModule({
  name: "policy",
  tools: [checkPolicy, readPolicy],
  routes: policyRoutes,
  stores: ({ db, clock }) => ({ travelPolicies: createTravelPolicies(db, clock) }),
  personRecords: ({ db }) => createPolicyPersons(db),
  migrations: {
    "0026-travel-policies": travelPolicies,
    "0074-policy-changes-are-told": policyChangesAreTold,
    "0078-enforcement-is-a-rule": enforcementIsARule,
  },
  parts: {
    activePolicies: ({ stores, clock, tenantMemory }) => new ReadyPolicies(stores.travelPolicies, clock, tenantMemory),
  },
  account: ({ stores, activePolicies }, caller) => describeEnforced(stores, activePolicies, caller),
  gates: ({ stores, activePolicies, approvals, maps, fx, clock }) => [
    new PolicyGate({ stores, activePolicies, approvals, maps, fx, clock }),
  ],
  ports: ({ activePolicies }) => ({ activePolicies }),
});

/** The policy enforced on direct calls, with its current version. */
async function describeEnforced(
  { travelPolicies }: Pick<Stores, "travelPolicies">,
  activePolicies: ActivePolicies,
  owner: Owner,
): Promise<AccountFacts> {
  const { policyId } = await travelPolicies.findEnforced(owner);
  const active = policyId === undefined ? undefined : await activePolicies.find(owner, policyId);
  return {
    facts: { enforcedPolicy: active === undefined ? null : { policyId, version: active.version } },
    setUp: [
      {
        what: "A travel policy that direct bookings must comply with.",
        isSet: active !== undefined,
        how: "A person whose key has policy:administer writes it with PUT /api/policies/{policyId} and enforces it with PUT /api/policy-enforcement.",
        page: "travel-policy",
      },
    ],
  };
}
