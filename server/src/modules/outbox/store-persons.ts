import { sql } from "kysely";
import type { PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Vault } from "../../ports/vault.ts";
import { createMessages } from "./store.ts";

interface Options {
  db: Queryable;
  clock: Clock;
  vault: Vault;
}

export function createAddressedPersons({ db, clock, vault }: Options): PersonRecords {
  return {
    async forgetOwn({ tenantId, userId, environment }) {
      await sql`
        delete from message
        where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`.execute(db);
    },

    forgetTraces: ({ person: { tenantId, environment }, isNamedIn }) =>
      createMessages(db, clock, vault).forgetAbout(tenantId, environment, isNamedIn),
  };
}
