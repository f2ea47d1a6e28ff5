import { statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFixture, type Fixture, query, until } from "../../test/support/embedded-fixture.ts";
import { adminUrl, createTestDatabase } from "../../test/support/test-database.ts";
import { isAlive } from "./process-identity.ts";

// Each starts a database and several services.
vi.setConfig({ testTimeout: 240_000 });

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.cleanUp());

const withSandbox = { supplierSandbox: true };

const askSandbox = async ({ url, token }: { url: string; token: string }) =>
  (await fetch(url, { headers: { authorization: token } })).json();

const replaced = (name: string, pid: number) =>
  until(async () => {
    const part = await fixture.part(name);
    return part.pid === pid ? undefined : part;
  });

const ownerPid = () => fixture.readPartsFile().owner?.pid;

test("four services that start at once share one server and one sandbox; the last to leave stops them", async () => {
  const services = [1, 2, 3, 4].map(() => fixture.start(withSandbox));
  const lines = await Promise.all(services.map(({ started }) => started));
  expect(lines.map(({ failed }) => failed)).toEqual([undefined, undefined, undefined, undefined]);
  expect(new Set(lines.map(({ databaseUrl }) => databaseUrl)).size).toBe(1);
  expect(new Set(lines.map(({ supplier }) => `${supplier?.url} ${supplier?.token}`)).size).toBe(1);
  const startLines = services.flatMap((service) => service.lines).filter(({ message }) => message?.endsWith("started"));
  expect(startLines.map(({ message }) => message).sort()).toEqual([
    "embedded database started",
    "supplier sandbox started",
  ]);

  const parts = fixture.readPartsFile().parts;
  expect(parts.map(({ name, ready }) => `${name} ${ready}`).sort()).toEqual(["postgres true", "supplier true"]);
  expect(new Set(services.map(({ process: { pid } }) => pid)).has(ownerPid())).toBe(true);
  expect(await Promise.all(services.map((service) => fixture.stop(service)))).toEqual([0, 0, 0, 0]);
  expect(parts.map(isAlive)).toEqual([false, false]);
  expect(fixture.readPartsFile().parts).toEqual([]);
});

test("the owner hands the parts over when it stops, and loses them when it is killed", async () => {
  await fixture.giveDatabase();
  const first = fixture.start(withSandbox);
  const { databaseUrl } = await first.started;
  const [second, third] = [fixture.start(withSandbox), fixture.start(withSandbox)];
  await Promise.all([second.started, third.started]);
  const parts = fixture.readPartsFile().parts;
  expect(ownerPid()).toBe(first.process.pid);

  expect(await fixture.stop(first)).toBe(0);
  const heir = await until(() => [second, third].find(({ process: { pid } }) => pid === ownerPid()));
  const last = heir === second ? third : second;
  await until(() => (fixture.readPartsFile().parts.every(({ ready }) => ready) ? true : undefined));
  expect(fixture.readPartsFile().parts).toEqual(parts);

  const postgres = await fixture.part("postgres");
  const supplier = await fixture.part("supplier");
  process.kill(postgres.pid, "SIGKILL");
  process.kill(supplier.pid, "SIGKILL");
  await fixture.kill(heir);
  expect((await replaced("postgres", postgres.pid)).port).toBe(postgres.port);
  expect((await replaced("supplier", supplier.pid)).port).toBe(supplier.port);
  expect(ownerPid()).toBe(last.process.pid);
  expect(await query(databaseUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  const left = fixture.readPartsFile().parts;
  expect(await fixture.stop(last)).toBe(0);
  expect(left.map(isAlive)).toEqual([false, false]);
});

test("the sandbox has a private file for its secrets and its own database, and is restarted when it dies", async () => {
  await fixture.giveDatabase();
  const service = fixture.start(withSandbox);
  const { supplier } = await service.started;
  if (!supplier) throw new Error("no supplier");
  const before = await fixture.part("supplier");
  expect(await askSandbox(supplier)).toEqual({
    pid: before.pid,
    mode: 0o600,
    database: "wayfare_sandbox",
    tokenFits: true,
  });
  expect(statSync(join(fixture.dataDir, "logs", "supplier.log")).mode & 0o777).toBe(0o600);
  process.kill(before.pid, "SIGKILL");
  const after = await replaced("supplier", before.pid);
  expect(await askSandbox(supplier)).toMatchObject({ pid: after.pid, tokenFits: true });
});

test("a killed service's sandbox is adopted; with other settings it is replaced", async () => {
  await fixture.giveDatabase();
  const first = fixture.start(withSandbox);
  await first.started;
  const before = await fixture.part("supplier");
  await fixture.kill(first);
  const second = fixture.start(withSandbox);
  await second.started;
  expect((await fixture.part("supplier")).pid).toBe(before.pid);
  await fixture.kill(second);
  const database = await createTestDatabase();
  const third = fixture.start({ ...withSandbox, databaseUrl: database.url });
  const { supplier } = await third.started;
  expect(isAlive(before)).toBe(false);
  const name = new URL(database.url).pathname.slice(1);
  expect(await askSandbox(supplier ?? { url: "", token: "" })).toMatchObject({ database: `${name}_sandbox` });
  expect(await fixture.stop(third)).toBe(0);
  await query(adminUrl(), `drop database ${name}_sandbox`);
  await database.drop();
});

test("a service that joins may request a part that the owner does not need", async () => {
  await fixture.giveDatabase();
  const owner = fixture.start();
  await owner.started;
  const joined = fixture.start(withSandbox);
  const { supplier } = await joined.started;
  expect(supplier).toBeDefined();
  expect(ownerPid()).toBe(owner.process.pid);
});

test("with DATABASE_URL no embedded server starts; a refusal by that server is one clear line", async () => {
  const database = await createTestDatabase();
  const service = fixture.start({ databaseUrl: database.url });
  expect(await service.started).toMatchObject({ databaseUrl: database.url });
  expect(fixture.readPartsFile().parts).toEqual([]);
  expect(await fixture.stop(service)).toBe(0);

  const role = new URL(database.url).pathname.slice(1);
  await query(database.url, `create role ${role} login password 'guest'`);
  const limited = new URL(database.url);
  limited.username = role;
  limited.password = "guest";
  const refused = fixture.start({ ...withSandbox, databaseUrl: limited.href });
  const { failed, kind } = await refused.started;
  expect(kind).toBe("EmbeddedError");
  expect(failed).toContain(`CREATE DATABASE "${role}_sandbox"`);
  expect(failed).not.toContain("guest");
  expect(await refused.ended).toBe(1);
  await database.drop();
  await query(adminUrl(), `drop role ${role}`);

  const closed = createServer().listen(0, "127.0.0.1");
  const address = await until(() => closed.address() ?? undefined);
  const port = typeof address === "string" ? 0 : address.port;
  closed.close();
  const unreachable = fixture.start({ databaseUrl: `postgres://user:secret@127.0.0.1:${port}/x` });
  const line = (await unreachable.started).failed;
  expect(line).toMatch(new RegExp(`^DATABASE_URL names a server at 127\\.0\\.0\\.1:${port} that cannot be used`));
  expect(line).not.toContain("secret");
});

test("a sandbox that fails to start fails the start with its reason and leaves nothing running", async () => {
  const service = fixture.start({ ...withSandbox, supplierProgram: join(fixture.dataDir, "no-such-program.ts") });
  const { failed } = await service.started;
  expect(failed).toMatch(/^The supplier sandbox does not start \(.*\): see .*supplier\.log\.$/);
  expect(await service.ended).toBe(1);
  expect(fixture.readPartsFile().parts).toEqual([]);
});
