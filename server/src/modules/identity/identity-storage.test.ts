import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createManualClock,
  openTestIdentities,
  silentLog,
  type TestIdentities,
} from "../../../test/support/identity.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { createVault } from "../../adapters/vault.ts";
import { schema } from "../../contributions.ts";
import { openVault, checkMasterKey as refuseOtherKey } from "../../outside/vault.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { migrateToLatest } from "../../platform/database/migrate.ts";
import { createTravelers } from "../travelers/store.ts";
import { createIdentity } from "./identity.ts";
import { checkMasterKey } from "./store-tenants.ts";

const profile = {
  givenName: "Ada",
  familyName: "Lovelace",
  loyaltyProgrammeAccounts: [{ airlineIataCode: "BA", accountNumber: "LOYAL-7731-XK" }],
  passports: [{ nationality: "GBR", number: "P5551234Q", issuedOn: "2020-01-01", expiresOn: "2030-01-01" }],
};

let setup: TestIdentities;
beforeAll(async () => {
  setup = await openTestIdentities();
});
afterAll(() => setup.close());

const openTravelers = () => createTravelers(setup);

test("four processes that start at once on an empty database all succeed", async () => {
  const database = await createTestDatabase();
  const opened = [1, 2, 3, 4].map(() => openDatabase(database.url, { poolSize: 2, onError: () => undefined }));
  try {
    await Promise.all(opened.map((each) => migrateToLatest(database.url, each, schema)));
    const vault = createVault(Buffer.alloc(32, 1));
    for (const { db, pool } of opened) {
      const clock = createManualClock();
      const options = { db, pool, databaseUrl: database.url, vault, clock, log: silentLog };
      const identity = createIdentity({ ...options, networkMode: "sandbox" });
      await identity.createTenant({ name: "One of four", actor: "test" });
      await identity.close();
    }
    const [first] = opened;
    const { rows } = (await first?.pool.query("select name from kysely_migration")) ?? { rows: [] };
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(0);
  } finally {
    for (const each of opened) await each.close();
    await database.drop();
  }
});

test("the audit log has every change, and cannot be changed or removed", async () => {
  const identity = setup.open();
  const { tenant, key } = await identity.createTenant({ name: "Audited", actor: "command" });
  await identity.setTenant(tenant.id, { plan: "pro", monthlyCapMicroUsdc: 5_000_000n }, "ann");
  const minted = await identity.mintKey({ tenantId: tenant.id, environment: "production", actor: "ann" });
  await identity.revokeKey(tenant.id, key.id, "bob");
  await identity.revealSigningSecret(tenant.id, "bob");
  await identity.rotateSigningSecret(tenant.id, "bob");
  await openTravelers().put(tenant.id, "ada", "sandbox", profile, `svc:${minted.key.id}`);
  const read = () =>
    setup.db.selectFrom("auditLog").selectAll().where("tenantId", "=", tenant.id).orderBy("id").execute();
  const lines = await read();
  expect(lines.map(({ actor, action, subjectId }) => [actor, action, subjectId])).toEqual([
    ["command", "tenant.create", tenant.id],
    ["command", "key.mint", key.id],
    ["ann", "tenant.set", tenant.id],
    ["ann", "key.mint", minted.key.id],
    ["bob", "key.revoke", key.id],
    ["bob", "signing_secret.reveal", tenant.id],
    ["bob", "signing_secret.rotate", tenant.id],
    [`svc:${minted.key.id}`, "traveler.put", "ada"],
  ]);
  expect(lines[2]?.details).toEqual({ plan: "pro", monthlyCapMicroUsdc: "5000000" });
  const fields = ["familyName", "givenName", "loyaltyProgrammeAccounts", "passports"];
  expect(lines[7]?.details).toEqual({ network: "sandbox", created: true, fields });

  for (const change of [
    "update audit_log set actor = 'x'",
    "delete from audit_log",
    "truncate audit_log",
    "update audit_log set action = 'x'",
    "update audit_log set subject_id = 'other'",
    "update audit_log set details = '{}'",
  ]) {
    await expect(setup.pool.query(change)).rejects.toThrow("audit_log is append-only");
  }
  expect(await read()).toEqual(lines);
});

test("a failed change leaves no line", async () => {
  const identity = setup.open();
  expect(await identity.setTenant("tenant_none", { plan: "pro" }, "test")).toBeUndefined();
  await expect(openTravelers().put("tenant_none", "ada", "sandbox", profile, "test")).rejects.toThrow();
  const count = setup.db.selectFrom("auditLog").select("id").where("tenantId", "=", "tenant_none");
  expect(await count.execute()).toEqual([]);
});

test("a traveler's profile is returned as stored, and is replaced as a whole", async () => {
  const identity = setup.open();
  const travelers = openTravelers();
  const mine = await identity.createTenant({ name: "Travels", actor: "test" });
  const theirs = await identity.createTenant({ name: "Stays home", actor: "test" });
  expect(await travelers.get(mine.tenant.id, "ada", "sandbox")).toBeUndefined();
  expect(await travelers.put(mine.tenant.id, "ada", "sandbox", profile, "test")).toBe(true);
  expect(await travelers.get(mine.tenant.id, "ada", "sandbox")).toEqual(profile);
  expect(await identity.isUser(mine.tenant.id, "ada", "sandbox")).toBe(true);
  expect(await travelers.get(theirs.tenant.id, "ada", "sandbox")).toBeUndefined();
  const bare = { givenName: "Augusta", loyaltyProgrammeAccounts: [], passports: [] };
  expect(await travelers.put(mine.tenant.id, "ada", "sandbox", bare, "test")).toBe(false);
  expect(await travelers.get(mine.tenant.id, "ada", "sandbox")).toEqual(bare);

  const service = `svc:${mine.key.id}`;
  expect(await travelers.put(mine.tenant.id, service, "sandbox", bare, "test")).toBe(true);
  expect(await travelers.get(mine.tenant.id, service, "sandbox")).toEqual(bare);
  for (const stranger of [`svc:${theirs.key.id}`, "svc:none", "no spaces", ""]) {
    await expect(travelers.put(mine.tenant.id, stranger, "sandbox", bare, "test")).rejects.toMatchObject({
      code: "not_found",
    });
  }
});

test("two concurrent writers of a new traveler: one creates it, both succeed", async () => {
  const { tenant } = await setup.open().createTenant({ name: "Racing", actor: "test" });
  const travelers = openTravelers();
  const outcomes = await Promise.all(
    [1, 2, 3, 4].map(() => travelers.put(tenant.id, "eve", "sandbox", profile, "test")),
  );
  expect(outcomes.filter((created) => created)).toHaveLength(1);
});

test("encrypted numbers cannot be moved to another traveler", async () => {
  const { tenant } = await setup.open().createTenant({ name: "Moved", actor: "test" });
  const travelers = openTravelers();
  await travelers.put(tenant.id, "owner", "sandbox", profile, "test");
  await travelers.put(tenant.id, "thief", "sandbox", profile, "test");
  await sql`
    update traveler_profile set profile = (select profile from traveler_profile where tenant_id = ${tenant.id} and user_id = 'owner')
    where tenant_id = ${tenant.id} and user_id = 'thief'`.execute(setup.db);
  await expect(travelers.get(tenant.id, "thief", "sandbox")).rejects.toThrow();
  expect(await travelers.get(tenant.id, "owner", "sandbox")).toEqual(profile);
});

test("supplier customers are found by user and by id, per network, within the tenant", async () => {
  const identity = setup.open();
  const { tenant } = await identity.createTenant({ name: "Linked", actor: "test" });
  const other = await identity.createTenant({ name: "Unlinked", actor: "test" });
  const travelers = openTravelers();
  await travelers.linkCustomer(tenant.id, "ada", "sandbox", "icu_1");
  await travelers.linkCustomer(tenant.id, "ada", "production", "icu_2");
  expect(await travelers.findCustomerUserId(tenant.id, "ada", "sandbox")).toBe("icu_1");
  expect(await travelers.findCustomerUserId(tenant.id, "ada", "production")).toBe("icu_2");
  expect(await travelers.findUserByCustomerId(tenant.id, "icu_1", "sandbox")).toBe("ada");
  expect(await travelers.findUserByCustomerId(tenant.id, "icu_1", "production")).toBeUndefined();
  expect(await travelers.findUserByCustomerId(other.tenant.id, "icu_1", "sandbox")).toBeUndefined();
  await travelers.linkCustomer(tenant.id, "ada", "sandbox", "icu_3");
  expect(await travelers.findCustomerUserId(tenant.id, "ada", "sandbox")).toBe("icu_3");
  expect(await travelers.findUserByCustomerId(tenant.id, "icu_1", "sandbox")).toBeUndefined();
  const twice = travelers.linkCustomer(tenant.id, "eve", "sandbox", "icu_3");
  await expect(twice).rejects.toMatchObject({ code: "conflict" });
});

test("no table holds a key, a signing secret or a document number in clear text", async () => {
  const identity = setup.open();
  const { tenant, apiKey, key } = await identity.createTenant({ name: "Canary", actor: "test" });
  const minted = await identity.mintKey({ tenantId: tenant.id, environment: "production", actor: "test" });
  const shown = await identity.revealSigningSecret(tenant.id, "test");
  const rotated = await identity.rotateSigningSecret(tenant.id, "test");
  await openTravelers().put(tenant.id, "ada", "sandbox", profile, "test");
  await identity.authenticate(apiKey, { fresh: true });
  await identity.flush();

  const { rows: tables } = await setup.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  let everything = "";
  for (const { name } of tables) {
    const { rows } = await setup.pool.query<{ line: string }>(`select t::text as line from ${name} t`);
    everything += rows.map(({ line }) => line).join("\n");
  }
  // Finding these proves that the search below reads the right data.
  for (const present of [tenant.id, key.id, minted.key.id, "Lovelace", "traveler.put"]) {
    expect(everything).toContain(present);
  }
  const secrets = [apiKey, apiKey.slice(3), minted.apiKey.slice(3), shown ?? "none", rotated];
  const bare = [shown, rotated].map((secret) => secret?.slice("whsec_".length) ?? "none");
  for (const secret of [...secrets, ...bare, "P5551234Q", "LOYAL-7731-XK", setup.masterKey.toString("hex")]) {
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(Buffer.from(secret).toString("base64url"));
  }
});

test("another master key is noticed before anything is served", async () => {
  await setup.open().createTenant({ name: "Locked", actor: "test" });
  await checkMasterKey(setup.db, setup.vault);
  const other = createVault(Buffer.alloc(32, 9));
  await expect(checkMasterKey(setup.db, other)).rejects.toThrow("another master key");
});

test("no key is created for a DATABASE_URL database with tenants, and a lost or different key is named", async () => {
  await setup.open().createTenant({ name: "Kept", actor: "test" });
  const dataDir = mkdtempSync(join(tmpdir(), "wayfare lost key "));
  const config = { masterKeyFile: undefined, dataDir, databaseUrl: setup.url, networkMode: "sandbox" } as const;
  await expect(openVault(config)).rejects.toThrow(`${join(dataDir, "master.key")} is missing, and the database of`);
  expect(readdirSync(dataDir)).toEqual([]);
  const other = createVault(Buffer.alloc(32, 9));
  await expect(refuseOtherKey(config, setup.url, other)).rejects.toThrow(
    /master\.key is not the key that the database of/,
  );
  await refuseOtherKey(config, setup.url, setup.vault);
  rmSync(dataDir, { recursive: true });
});
