import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../src/embedded/postgres/databases.ts";
import { createMigratedDatabase, type TestDatabase } from "./support/test-database.ts";

/** Common to every table of every module, by the database's own catalogue. */

/** Tables that name a tenant and no environment. */
const WITHOUT_ENVIRONMENT: Readonly<Record<string, string>> = {
  faucet_request: "The faucet counts by address, whoever asks; what is not the asking tenant's own is never answered.",
  outside_key_intent: "It names a key that is being made at the identity provider, and no key reads it.",
};

/** Unique indexes of a tenant's rows that leave out the environment. */
const UNIQUE_IN_BOTH: Readonly<Record<string, string>> = {
  sign_in_session_token_hash_key: "A session's token is made by the service, and cannot be guessed.",
  passkey_credential_id_key: "An authenticator makes it, and it is found before anybody knows its environment.",
  sign_in_link_token_hash_key: "A link's token is made by the service, and cannot be guessed.",
  connected_agent_key_id_key: "A key's id is made by the service.",
  api_key_by_outside_id: "The identity provider makes a key's id there, and the key is found before its environment.",
  api_key_key_hash_key: "A key is found by its hash before anybody knows its environment.",
  idempotency_call: "A call's id is made by the service.",
  payment_call_id_key: "A call's id is made by the service.",
  chain_transaction_signer_id_nonce_key: "A wallet's id is made by the service, and each wallet is of one network.",
  booking_invoice_by_token: "The address of an invoice's files is a token, too.",
  shared_file_pkey: "A file's address is a token that the service makes, and whoever has it may read the file.",
  internal_token_tenant_pkey: "A token acts for a tenant in one environment at a time.",
  workflow_pause_pkey: "A session's id is made by the service, and cannot be guessed.",
  workflow_pause_run_id_step_id_key: "A run's id is made by the service.",
  validation_by_answer: "An answer's id is made by the service.",
  conversation_turn_conversation_id_number_key: "A conversation's id is made by the service.",
  conversation_turn_running: "A conversation's id is made by the service.",
  conversation_event_pkey: "A conversation's id is made by the service.",
  conversation_call_turn_id_step_ordinal_key: "A turn's id is made by the service.",
  conversation_confirmation_open: "A conversation's id is made by the service.",
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterAll(() => database?.drop());

/** Each with its unique indexes, as lists of columns. */
async function readTables() {
  return await withClient(database.url, async (client) => {
    const tables = await client.query<{ table: string; columns: string[] }>(TABLES);
    const indexes = await client.query<{ table: string; name: string; columns: string[] }>(UNIQUE_INDEXES);
    return tables.rows
      .filter(({ columns }) => columns.includes("tenant_id"))
      .map((one) => ({ ...one, unique: indexes.rows.filter(({ table }) => table === one.table) }));
  });
}

const TABLES = `
  select class.relname as table, array_agg(attribute.attname::text) as columns
  from pg_class class join pg_attribute attribute on attribute.attrelid = class.oid and attribute.attnum > 0
  where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
    and not attribute.attisdropped
  group by class.relname order by class.relname`;
const UNIQUE_INDEXES = `
  select class.relname as table, named.relname as name,
    array(select pg_get_indexdef(index.indexrelid, place, true) from generate_series(1, index.indnkeyatts) as place) as columns
  from pg_index index join pg_class class on class.oid = index.indrelid join pg_class named on named.oid = index.indexrelid
  where index.indisunique and class.relnamespace = 'public'::regnamespace and not class.relispartition`;

const namesEnvironment = (columns: readonly string[]) => columns.includes("network") || columns.includes("environment");

test("every table of tenants' rows names their environment", async () => {
  const tables = await readTables();
  expect(tables.length).toBeGreaterThan(15);
  const without = tables.filter(({ columns }) => !namesEnvironment(columns)).map(({ table }) => table);
  expect(without).toEqual(Object.keys(WITHOUT_ENVIRONMENT));
});

test("every key of tenants' rows that callers have a part in names the environment", async () => {
  const keys = (await readTables()).flatMap(({ table, unique }) => (table in WITHOUT_ENVIRONMENT ? [] : unique));
  // An id alone is made at random by the service, and nobody chooses one that is there already.
  const chosen = keys.filter(({ columns }) => columns.join() !== "id");
  const shared = chosen.filter(({ columns }) => !namesEnvironment(columns)).map(({ name }) => name);
  expect(shared.toSorted()).toEqual(Object.keys(UNIQUE_IN_BOTH).toSorted());
});

/** Erasing a person covers all of them: modules/travelers/store-personal-data.ts. */
const NAMING_PERSONS = [
  ...[
    "message.user_id",
    "notice.user_id",
    "notice_preference.user_id",
    "booking.user_id",
    "call.subject",
    "channel_code.user_id",
    "channel_person.user_id",
    "conversation_link.subject",
    "conversation_link.user_id",
    "conversation_link_code.user_id",
    "customer_owner.user_id",
    "feedback.user_id",
    "idempotency.subject",
  ],
  ...[
    "payment.subject",
    "traveler_customer.user_id",
    "traveler_profile.user_id",
    "trip.user_id",
    "trip_entry.user_id",
    "usage_record.subject",
    "usage_payer_day.subject",
    "usage_payer_hour.subject",
    "workflow_run.user_id",
  ],
];

test("every column that names a user is one that the erasure of a person knows", async () => {
  const named = (await readTables()).flatMap(({ table, columns }) =>
    columns.filter((column) => column === "user_id" || column === "subject").map((column) => `${table}.${column}`),
  );
  expect(named.toSorted()).toEqual(NAMING_PERSONS.toSorted());
});

test("a table that forgets its environment is noticed", async () => {
  await withClient(database.url, (client) =>
    client.query("create table forgetful (id text primary key, tenant_id text, name text, unique (tenant_id, name))"),
  );
  const found = (await readTables()).find(({ table }) => table === "forgetful");
  expect(found === undefined || namesEnvironment(found.columns)).toBe(false);
  expect(found?.unique.map(({ columns }) => columns)).toContainEqual(["tenant_id", "name"]);
});
