import { afterAll, beforeAll, expect, it } from "vitest";
import { createMigratedDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { type OpenDatabase, openDatabase } from "../../platform/database/database.ts";
import { MOST_FILES_OF_TENANT } from "./shared-files.ts";
import { createSharedFiles, type SharedFiles } from "./store.ts";

let database: TestDatabase;
let opened: OpenDatabase;
let files: SharedFiles;
beforeAll(async () => {
  database = await createMigratedDatabase();
  opened = openDatabase(database.url, { poolSize: 2, onError: () => undefined });
  files = createSharedFiles(opened.db);
});
afterAll(async () => {
  await opened?.close();
  await database?.drop();
});

const start = Temporal.Instant.from("2027-01-01T00:00:00Z");
const after = (minutes: number) => start.add({ minutes });
const hash = (name: string) => Buffer.from(name.padEnd(32, "."));
const file = (name: string) => ({
  tokenHash: hash(name),
  fileName: `${name}.png`,
  contentType: "image/png",
  content: Buffer.from(name),
});
const one = { tenantId: "tenant_one", environment: "sandbox" as const };

it("is readable until it expires, and is then gone", async () => {
  await files.put(one, [file("short")], { createdAt: start, expiresAt: after(10) });
  await files.put(one, [file("long")], { createdAt: start, expiresAt: after(60) });
  expect(await files.read(hash("short"), after(9))).toMatchObject({ fileName: "short.png", contentType: "image/png" });
  expect(await files.read(hash("short"), after(10))).toBeUndefined();
  await files.prune(after(10));
  expect(await files.read(hash("short"), start)).toBeUndefined();
  expect((await files.read(hash("long"), after(11)))?.content.toString()).toBe("long");
});

it("is deleted when its tenant has too many newer ones, without affecting others'", async () => {
  const others = [
    { tenantId: "tenant_two", environment: "sandbox" as const },
    { tenantId: "tenant_one", environment: "production" as const },
  ];
  for (const [index, owner] of others.entries()) {
    await files.put(owner, [file(`other ${index}`)], { createdAt: start, expiresAt: after(600) });
  }
  await files.put(one, [file("oldest")], { createdAt: after(1), expiresAt: after(600) });
  const many = Array.from({ length: MOST_FILES_OF_TENANT - 1 }, (_, index) => file(`many ${index}`));
  await files.put(one, many, { createdAt: after(2), expiresAt: after(600) });
  expect(await files.read(hash("oldest"), after(3))).toBeDefined();
  await files.put(one, [file("newest")], { createdAt: after(3), expiresAt: after(600) });
  expect(await files.read(hash("oldest"), after(3))).toBeUndefined();
  for (const name of ["newest", "many 0", "other 0", "other 1"]) {
    expect(await files.read(hash(name), after(3)), name).toBeDefined();
  }
});
