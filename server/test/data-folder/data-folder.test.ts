import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type App, startApp } from "../../src/compose.ts";
import { readConfig } from "../../src/config/config.ts";
import { dropSandboxDatabase } from "../support/service.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { writeFolder, writeTables } from "./format.ts";

/** What an earlier release left behind, killed in the middle of its work (make.ts), is read and finished by this one. */

const Texts = z.record(z.string(), z.string());
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Made = z.object({
  facts: z.object({
    madeAt: z.string(),
    openBookingId: z.string(),
    bookedFlight: z.object({ orderId: z.string(), pnr: z.string(), totalAmount: z.string() }),
    cancellation: z.object({ cancellationId: z.string() }),
    stay: z.object({ orderId: z.string(), reference: z.string() }),
    unclaimed: z.object({ tripId: Hash, guestLink: z.string(), claimCode: z.string() }),
    claimed: z.object({ tripId: Hash }),
    reserved: z.object({ bookingId: Hash }),
    committed: z.object({ bookingId: Hash }),
    feedback: z.object({ txHash: Hash }),
  }),
  tables: Texts,
  sandboxTables: Texts,
  files: Texts,
});
const Quickstart = z.object({ tenantId: z.string(), apiKey: z.string() });

const { facts, tables, sandboxTables, files } = Made.parse(
  JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, "data-folder.json.gz"))).toString("utf8")),
);
const quickstart = Quickstart.parse(JSON.parse(Buffer.from(files["quickstart.json"] ?? "", "base64").toString("utf8")));

let database: TestDatabase;
let folder: string;
let app: App;
let pool: pg.Pool;

/** Everything goes on where it ended, whenever this runs: quotes and trips of that day have not expired. */
async function start(dataDir: string): Promise<App> {
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: "0",
    EDGE_PORT: "0",
    LOG_LEVEL: "fatal",
  });
  const elapsed = Temporal.Instant.from(facts.madeAt).until(Temporal.Now.instant());
  const standStill = ["--stand-still-at", facts.madeAt];
  return await startApp(config, {
    clock: { now: () => Temporal.Now.instant().subtract(elapsed) },
    supplierOptions: standStill,
    devnetOptions: standStill,
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "wayfare-data-folder-"));
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // The tables of both databases are made by a first start.
  await (await start(join(folder, "empty"))).stop();
  await writeTables(database.url, tables);
  const sandboxUrl = new URL(database.url);
  sandboxUrl.pathname += "_sandbox";
  await writeTables(sandboxUrl.href, sandboxTables);
  writeFolder(join(folder, "data"), files);
  app = await start(join(folder, "data"));
});

afterAll(async () => {
  await app?.stop();
  await pool.end();
  await dropSandboxDatabase(database.url);
  await database.drop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const authorization = `Bearer ${quickstart.apiKey}`;

async function call(tool: string, args: unknown) {
  const response = await fetch(`${app.appUrl}/api/agent/dispatch`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify({ tenantId: quickstart.tenantId, tool, args }),
  });
  const body = JSON.parse(await response.text());
  return response.status === 200 ? body.result : body;
}

async function read(path: string) {
  const response = await fetch(`${app.appUrl}${path}`, { headers: { authorization } });
  return JSON.parse(await response.text());
}

async function column(text: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await pool.query({ text, values, rowMode: "array" });
  return rows.map(([value]) => value);
}

it("its orders can be read, and a cancellation that was quoted can be confirmed", async () => {
  const { orderId, pnr, totalAmount } = facts.bookedFlight;
  expect(await read(`/api/orders/${orderId}`)).toMatchObject({ orderId, pnr, totalAmount });
  expect(await read(`/api/orders/${facts.stay.orderId}`)).toMatchObject({ orderId: facts.stay.orderId });
  const { cancellationId } = facts.cancellation;
  expect(await call("confirm_cancel_order", { cancellationId })).toMatchObject({ cancellationId });
});

it("a booking whose outcome was unknown is looked up and finished", async () => {
  const text = "select state from booking where id = $1";
  await expect.poll(() => column(text, [facts.openBookingId])).toEqual(["booked"]);
});

it("a trip that was not claimed is claimed with its old link and code, and reserved", async () => {
  const { tripId, guestLink, claimCode } = facts.unclaimed;
  const guestWallet = "0x00000000000000000000000000000000000a11ce";
  expect(await call("guest_claim_link", { guestLink, guestWallet, claimCode })).toMatchObject({ tripId, guestWallet });
  expect(await call("reserve_booking", { tripId, upperBoundUsdc: "100.00" })).toMatchObject({ state: "reserved" });
});

it("bookings in escrow go on from every state to the end", async () => {
  const { bookingId } = facts.committed;
  const ticketOrderHash = `0x${"2a".repeat(32)}`;
  expect(await call("confirm_flight", { bookingId, ticketOrderHash })).toMatchObject({ state: "confirmed" });
  expect(await call("settle_booking", { bookingId })).toMatchObject({ state: "settled", vendorPaidUsdc: "231.40" });
  const cancel = { bookingId: facts.reserved.bookingId, tripId: facts.claimed.tripId, reason: "buyer_cancel" };
  expect(await call("cancel_booking", cancel)).toMatchObject({ state: "cancelled", refundedUsdc: "250.00" });
});

it("a payment that was earned and not collected is collected", async () => {
  await expect.poll(() => column("select state from payment")).toEqual(["settled"]);
});

it("the books agree with the chain, and nothing was migrated in another order than before", async () => {
  expect(await column("select stopped_because from chain_network")).toEqual([null]);
  const names = await column("select name from kysely_migration order by name");
  expect(names).toEqual(expect.arrayContaining(["0001-identity", "0017-escrow-adoption"]));
});
