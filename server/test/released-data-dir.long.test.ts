import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { type App, startApp } from "../src/compose.ts";
import { readConfig } from "../src/config/config.ts";
import { embeddedDatabaseUrl } from "../src/embedded/postgres/postgres-part.ts";
import { partPrograms, programAt } from "./support/programs.ts";

/**
 * A DATA_DIR that the release before this tree's layout left when it was killed in the middle of its work: booked flight and stay,
 * trips that are open, claimed and in the middle of a step, a payment whose money is not there yet, transactions that nobody has
 * signed, and a chain whose money stands still. `scripts/make-data-dir.ts` has made it.
 */
const ARCHIVE = resolve(import.meta.dirname, "fixtures/released-data-dir.tar.br");
const CHAIN_COMMAND = programAt("server/src/commands/chain.ts");
const GUEST_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const patience = { timeout: 60_000, interval: 100 };

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const Trip = z.object({ tripId: z.string(), guestLink: z.string(), claimCode: z.string() });
const Facts = z.object({
  madeAt: z.string().transform((text) => Temporal.Instant.from(text)),
  tenantId: z.string(),
  apiKey: z.string(),
  flight: z.object({ offerId: z.string(), bookingId: z.string() }),
  stay: z.object({ quoteId: z.string(), bookingId: z.string() }),
  open: Trip,
  claimed: Trip,
  begun: Trip,
  committed: z.string(),
});
const Quickstart = z.object({ appUrl: z.string() });

let folder: string;
let dataDir: string;
let facts: z.infer<typeof Facts>;
let app: App;
let appUrl: string;
let pool: pg.Pool;

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-released-"));
  execFileSync("tar", ["-C", folder, "-xf", "-"], { input: brotliDecompressSync(readFileSync(ARCHIVE)) });
  dataDir = join(folder, "data");
  facts = Facts.parse(JSON.parse(readFileSync(join(folder, "facts.json"), "utf8")));
  // It goes on at the moment at which it was left: what was signed, quoted and funded then is valid for a time only.
  const standStill = ["--stand-still-at", facts.madeAt.toString()];
  const started = performance.now();
  app = await startApp(readConfig({ DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "fatal" }), {
    clock: { now: () => facts.madeAt.add({ milliseconds: Math.round(performance.now() - started) }) },
    ...partPrograms(),
    supplierOptions: standStill,
    devnetOptions: standStill,
  });
  ({ appUrl } = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"))));
  pool = new pg.Pool({ connectionString: embeddedDatabaseUrl(dataDir), max: 1 });
});
afterAll(async () => {
  await pool.end();
  await app.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${appUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${facts.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: Object(await response.json()) };
}

const call = (tool: string, args: unknown) => post("/api/agent/dispatch", { tenantId: facts.tenantId, tool, args });

async function done(tool: string, args: unknown): Promise<Record<string, unknown>> {
  const { status, body } = await call(tool, args);
  expect([tool, status, body.code]).toEqual([tool, 200, undefined]);
  return Object(body.result);
}

async function read(path: string): Promise<unknown> {
  const response = await fetch(`${appUrl}${path}`, { headers: { authorization: `Bearer ${facts.apiKey}` } });
  expect([path, response.status]).toEqual([path, 200]);
  return await response.json();
}

const states = async (text: string): Promise<unknown[]> =>
  (await pool.query<{ state: string }>(text)).rows.map(({ state }) => state);

test("what it booked is read, and is not booked a second time", async () => {
  const { flight, stay } = facts;
  expect(await done("book_flight", { offerId: flight.offerId })).toMatchObject({ bookingId: flight.bookingId });
  const guests = [{ givenName: "Amelia", familyName: "Hart" }];
  const again = { quoteId: stay.quoteId, email: "amelia@example.com", phoneNumber: "+442080160508", guests };
  expect(await done("book_stay", again)).toMatchObject({ bookingId: stay.bookingId });
  const orders = await read("/api/orders");
  expect(JSON.stringify(orders)).toContain(flight.bookingId);
  expect(JSON.stringify(orders)).toContain(stay.bookingId);
});

test("its agent's key changes no rules any more, and the operator's key that it gets does", async () => {
  const quickstart: unknown = JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"));
  const { apiKey, operatorKey } = z.object({ apiKey: z.string(), operatorKey: z.string() }).parse(quickstart);
  expect(apiKey).toBe(facts.apiKey);
  const enforce = async (key: string) => {
    const response = await fetch(`${appUrl}/api/policy-enforcement`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ policyId: null }),
    });
    return response.status;
  };
  expect([await enforce(apiKey), await enforce(operatorKey)]).toEqual([403, 200]);
});

test("a payment whose money was not there yet is settled, also while the chain is stopped", async () => {
  await expect.poll(() => states("select state from payment"), patience).toEqual(["settled"]);
  const paid =
    "select record.status as state from usage_record record join payment on payment.call_id = record.call_id";
  expect(await states(paid)).toEqual(["sandbox"]);
});

test("orders that nobody had signed wait until the operator resumes the chain, and are carried out then", async () => {
  const order = { to: GUEST_WALLET, amount: "1.00" };
  expect((await call("send_tokens", order)).body.code).toBe("settlement_stopped");
  const open = "select state from chain_transaction where state in ('queued', 'signed')";
  expect(await states(open)).toEqual(["queued", "queued"]);
  await promisify(execFile)(process.execPath, [CHAIN_COMMAND, "resume", "--network", "sandbox"], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  });
  await expect.poll(() => states(open), patience).toEqual([]);
  expect(await done("send_tokens", order)).toMatchObject({ status: "confirmed" });
  const sent = "select state from chain_transaction where purpose = 'send_tokens'";
  expect(await states(sent)).toEqual(["confirmed", "confirmed"]);
});

async function settle(bookingId: unknown): Promise<Record<string, unknown>> {
  await done("confirm_flight", { bookingId, ticketOrderHash: `0x${"19".repeat(32)}` });
  return await done("settle_booking", { bookingId });
}

test("its trips go on from where they were", async () => {
  const { open, begun, committed } = facts;
  expect(await settle(committed)).toMatchObject({ state: "settled" });
  const booking = "select state from escrow_booking where trip_id = $1";
  const reserved = async () => (await pool.query(booking, [begun.tripId])).rows;
  await expect.poll(reserved, patience).toEqual([{ state: "reserved" }]);

  const linkSecret = new URL(open.guestLink).hash.slice(1);
  const claim = { linkSecret, guestWallet: GUEST_WALLET, claimCode: open.claimCode };
  expect((await post(`/api/claims/${open.tripId}`, claim)).status).toBe(200);
  const { bookingId } = await done("reserve_booking", { tripId: open.tripId, upperBoundUsdc: "20.00" });
  await done("commit_booking", {
    bookingId,
    vendorAmountUsdc: "15.00",
    feeAmountUsdc: "1.00",
    vendorAddress: "0x00000000000000000000000000000000000a11ce",
    itineraryHash: `0x${"17".repeat(32)}`,
  });
  expect(await settle(bookingId)).toMatchObject({ state: "settled", vendorPaidUsdc: "15.00" });

  // Their contract can give what it holds to the wallet only.
  const { bookingId: other } = await done("reserve_booking", { tripId: open.tripId, upperBoundUsdc: "1.00" });
  const release = { bookingId: other, tripId: open.tripId, reason: "timeout" };
  expect(await done("release_reservation", release)).toMatchObject({
    state: "cancelled",
    returnedTo: "wallet",
    returnedUsdc: "1.00",
    walletBecause: "escrow_too_old",
  });
});
