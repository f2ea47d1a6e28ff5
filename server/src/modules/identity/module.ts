import { defineJob } from "../../kernel/contracts/job.ts";
import type { Environment } from "../../ports/identity.ts";
import { defineModule } from "./context.ts";
import { createIdentity } from "./identity.ts";
import * as identity from "./migrations/0001-identity.ts";
import * as travelersByNetwork from "./migrations/0020-travelers-by-network.ts";
import * as persons from "./migrations/0032-persons.ts";
import * as tenantLinkOrigins from "./migrations/0041-tenant-link-origins.ts";
import * as anonymousAudit from "./migrations/0100-anonymous-audit.ts";
import * as sessionKeys from "./migrations/0151-session-keys.ts";
import * as grantKeys from "./migrations/0169-grant-keys.ts";
import * as auditOrigins from "./migrations/0172-audit-origins.ts";
import * as outsideKeys from "./migrations/0177-outside-keys.ts";
import { sweepOutsideKeys } from "./outside/sweep-outside-keys.ts";
import { hasDuties } from "./persons.ts";
import { createPersons } from "./store-persons.ts";
import { checkMasterKey } from "./store-tenants.ts";
import { TenantMemory } from "./tenant-memory.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleSettings {
    readonly "identity.networkMode": Environment;
  }
  interface ModuleParts {
    readonly "identity.tenantMemory": TenantMemory;
  }
}

const SWEEP_MILLISECONDS = 30_000;

export const identityModule = defineModule({
  name: "identity",
  migrations: {
    "0001-identity": identity,
    "0020-travelers-by-network": travelersByNetwork,
    "0032-persons": persons,
    "0041-tenant-link-origins": tenantLinkOrigins,
    "0100-anonymous-audit": anonymousAudit,
    "0151-session-keys": sessionKeys,
    "0169-grant-keys": grantKeys,
    "0177-outside-keys": outsideKeys,
    "0172-audit-origins": auditOrigins,
  },
  stores: ({ db, clock }) => ({ persons: createPersons(db, clock) }),
  parts: {
    identity: ({ db, pool, databaseUrl, vault, clock, random, settings, log, outsideKeys: keys, tenantCreated }) =>
      createIdentity({
        db,
        pool,
        databaseUrl,
        vault,
        clock,
        random,
        log,
        outsideKeys: keys,
        networkMode: settings.networkMode,
        onTenantCreated: tenantCreated,
      }),
    hasDuties:
      ({ stores }) =>
      async ({ tenantId, environment }, userId) => {
        const person = await stores.persons.find({ tenantId, environment }, userId);
        return person !== undefined && hasDuties(person);
      },
    tenantMemory: ({ databaseUrl, clock, log }) => new TenantMemory({ databaseUrl, clock, log }),
  },
  jobs: ({ db, clock, outsideKeys: keys }) =>
    keys === undefined
      ? []
      : [
          defineJob({
            name: "outside-keys",
            everyMilliseconds: SWEEP_MILLISECONDS,
            run: () => sweepOutsideKeys({ db, clock, outsideKeys: keys }),
          }),
        ],
  check: ({ db, vault }) => checkMasterKey(db, vault),
  stop: ({ identity, tenantMemory }) => Promise.all([identity.close(), tenantMemory.close()]),
});
