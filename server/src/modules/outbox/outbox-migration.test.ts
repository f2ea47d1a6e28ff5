import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createManualClock } from "../../../test/support/identity.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { createStores, schema } from "../../contributions.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { migrateToLatest } from "../../platform/database/migrate.ts";

/** The first of the three migrations that bring guests' mails and reminders into the outbox. */
const FIRST = "0110-outbox";

let database: TestDatabase;
let opened: OpenDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase(database.url, { poolSize: 3, onError: () => undefined });
  const earlier = Object.entries(schema.migrations).filter(([name]) => name < FIRST);
  const released = { migrations: Object.fromEntries(earlier), indexes: {}, formerIndexes: [] };
  await migrateToLatest(database.url, opened, released);
});
afterAll(async () => {
  await opened?.close();
  await database?.drop();
});

test("unsent guest mails and reminders of a release are in the outbox, once", async () => {
  const { db } = opened;
  const owner = { tenantId: "tenant", environment: "production" } as const;
  const insertTrip = (tripId: string, state: string, mail: string) =>
    sql`
    insert into trip (network, tenant_id, trip_id, user_id, escrow, funder, state, budget_micro, free_micro, expires_at, code_nonce, requires_code,
      details, mail, mail_attempts, mail_due, created_at, updated_at, trace_id)
    values ('production', 'tenant', ${tripId}, 'svc:key', '0x1', '0x2', ${state}, 1, ${state === "funding" ? 0 : 1}, '2030-01-01', '0x3', true, '{}', ${mail}, 2,
      '2029-01-01T02:00:00Z', '2029-01-01T01:00:00Z', '2029-01-01T01:00:00Z', 'trace')`.execute(db);
  await sql`
    insert into chain_network (network, chain_id, genesis_hash, indexed_number, indexed_hash, updated_at)
    values ('production', 1, '0x4', 0, '0x5', now())`.execute(db);
  await insertTrip("0xa1", "funded", "pending");
  await insertTrip("0xa2", "funded", "sent");
  await insertTrip("0xa3", "funding", "pending");
  await sql`
    insert into workflow_run (id, tenant_id, network, workflow_id, version, key_id, input, state, request_hash, trace_id, created_at, updated_at)
    values ('run_1', 'tenant', 'production', 'w', 1, 'key', '{}', 'paused', 'hash', 'trace', now(), now())`.execute(db);
  await sql`
    insert into workflow_pause (session_id, run_id, tenant_id, network, step_id, reason, decided_by, expects, on_timeout, expires_at, created_at)
    values ('ses_1', 'run_1', 'tenant', 'production', 's', 'why', 'person', '{}', '{}', now(), now())`.execute(db);
  const insertReminder = (id: string, userId: string | null, state: string) =>
    sql`
    insert into pause_reminder (id, tenant_id, network, session_id, user_id, state, created_at, updated_at)
    values (${id}, 'tenant', 'production', 'ses_1', ${userId}, ${state}, '2029-01-01T01:00:00Z', '2029-01-01T01:00:00Z')`.execute(
      db,
    );
  await insertReminder("rem_1", "user_1", "pending");
  await insertReminder("rem_2", null, "pending");
  await insertReminder("rem_3", "user_3", "sent");

  await migrateToLatest(database.url, opened, schema);

  const { messages } = createStores(db, createManualClock(), createVault(randomBytes(32)));
  const guestMail = await messages.findLive({ ...owner, kind: "guest_mail", about: ["0xa1"] });
  expect(guestMail).toMatchObject({ recordId: "0xa1", carrier: "mail", state: "intended", attempts: 2 });
  expect(`${guestMail?.quietUntil} ${guestMail?.expiresAt}`).toBe("2029-01-01T02:00:00Z 2029-01-02T01:00:00Z");
  const reminded = { ...owner, kind: "pause_reminder", about: ["ses_1"] };
  expect(await messages.findLive({ ...reminded, userId: "user_1" })).toMatchObject({ id: "msg_1", recordId: "ses_1" });
  expect(await messages.findLive(reminded)).toMatchObject({ id: "msg_2", recordId: "ses_1", userId: undefined });
  expect(await db.selectFrom("message").select("id").execute()).toHaveLength(3);
});
