import { sql } from "kysely";
import { tripOfGuest } from "../../domain/user-ids.ts";
import type { PersonId, PersonRecords } from "../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../platform/database/database.ts";

export function createRunningPersons(db: Queryable): PersonRecords {
  return {
    tables: {
      naming: [{ table: "workflow_run", column: "user_id" }],
      through: { workflow_step: { column: "run_id", table: "workflow_run", key: "id" } },
    },

    async identify({ tenantId, userId, environment }) {
      const { rows } = await sql<{ id: string }>`
        select id from workflow_run
        where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`.execute(db);
      return { ids: rows.map(({ id }) => id) };
    },

    async objections({ tenantId, userId, environment }) {
      const { rows } = await sql`
        select 1 from workflow_run
        where tenant_id = ${tenantId} and network = ${environment} and state in ('running', 'paused')
          and (user_id = ${userId} or lower(trip_id) = ${tripOfGuest(userId) ?? ""}) limit 1`.execute(db);
      return { isBusy: rows.length > 0 };
    },

    async forgetOwn(person) {
      await forgetNamedGuests(db, person);
      await forgetInvitation(db, person);
    },

    /** Request hashes are unsalted. The person's runs are not started a second time. */
    async forgetTraces({ person: { tenantId, userId, environment }, mark }) {
      if (mark === userId) return;
      await sql`
        update workflow_run set request_hash = 'erased'
        where tenant_id = ${tenantId} and network = ${environment} and user_id = ${mark}`.execute(db);
    },
  };
}

/** Removes guests that the person named in their own runs. */
async function forgetNamedGuests(db: Queryable, { tenantId, userId, environment }: PersonId): Promise<void> {
  const runs = sql`
    select id from workflow_run where tenant_id = ${tenantId} and network = ${environment} and user_id = ${userId}`;
  await sql`
    update workflow_run set input = input - 'guestNames' - 'email' - 'phoneNumber' where id in (${runs})`.execute(db);
  await sql`
    update workflow_pause set resolution = resolution - 'guests'
    where run_id in (${runs}) and resolution is not null`.execute(db);
  await sql`
    update workflow_step set outcome = outcome #- '{resolution,guests}'
    where run_id in (${runs}) and outcome -> 'resolution' -> 'guests' is not null`.execute(db);
}

/** Removes what runs of a trip have read about its guest. */
async function forgetInvitation(db: Queryable, { tenantId, userId, environment }: PersonId): Promise<void> {
  const tripId = tripOfGuest(userId);
  if (tripId === undefined) return;
  await sql`
    update workflow_step set outcome = outcome #- '{result,details,guestName}' #- '{result,guestEmail}' #- '{result,keptMail}'
    where tool = 'read_trip' and run_id in (
      select id from workflow_run
      where tenant_id = ${tenantId} and network = ${environment} and lower(trip_id) = ${tripId})`.execute(db);
}
