import { sql } from "kysely";
import type { PersonId, PersonRecords } from "../../../kernel/contracts/person-records.ts";
import type { Queryable } from "../../../platform/database/database.ts";

const MOST_EXPORTED = 1_000;

/** A person's conversations are exported with their texts, and deleted with the person. */
export function createConversationPersons(db: Queryable): PersonRecords {
  const own = ({ tenantId, userId, environment }: PersonId) =>
    sql`tenant_id = ${tenantId} and network = ${environment} and owner_id = ${userId}`;
  return {
    async held(person) {
      const { rows } = await sql<{
        conversationId: string;
        at: Temporal.Instant;
        text: string | null;
        reply: string | null;
      }>`
        select conversation_id, created_at as at, text, reply from conversation_turn where ${own(person)}
        order by conversation_id desc, number limit ${sql.lit(MOST_EXPORTED)}`.execute(db);
      return {
        conversations: rows.map(({ conversationId, at, text, reply }) => ({
          conversationId,
          at: at.toString(),
          text,
          reply,
        })),
      };
    },

    async objections(person) {
      const { rows } = await sql`
        select 1 from conversation_turn where ${own(person)} and state = 'running' limit 1`.execute(db);
      return { isBusy: rows.length > 0 };
    },

    async forgetOwn(person) {
      await sql`delete from conversation where ${own(person)}`.execute(db);
      const joined = sql`tenant_id = ${person.tenantId} and network = ${person.environment} and user_id = ${person.userId}`;
      await sql`delete from conversation_link where ${joined}`.execute(db);
      await sql`delete from conversation_link_code where ${joined}`.execute(db);
    },
  };
}
