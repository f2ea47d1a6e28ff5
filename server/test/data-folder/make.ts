// Makes what a DATA_DIR holds after some days of use, with work still under way, and stores it as one file that a test opens:
//
//   node server/test/data-folder/make.ts <checkout of the release to make it with> <file>
//
// It starts that release on a PostgreSQL and a folder of its own, works with it over HTTP like any client, and ends everything with
// SIGKILL in the middle of a payment. The keys in the file belong to the development chain made with it and to nothing else.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import pg from "pg";
import { privateKeyToAccount } from "viem/accounts";
import { withClient } from "../../src/embedded/postgres/databases.ts";
import { startTestPostgres } from "../support/test-postgres.ts";
import { readFolder, readTables } from "./format.ts";

const [checkout, target] = process.argv.slice(2);
if (checkout === undefined || target === undefined)
  throw new Error("Say which checkout makes it, and into which file.");
const release = resolve(checkout);
const DATABASE = "made";
/** Longer than anything here takes: a payment that was earned is still open when everything ends. */
const PAYMENT_BATCH_WINDOW_MILLISECONDS = "60000";

async function until<Result>(what: string, look: () => Promise<Result | undefined> | Result | undefined) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(100);
  }
  throw new Error(`waited in vain for ${what}`);
}

/** What callers know of the product: its addresses and the answers of its tools. */
function createClient(quickstart: { appUrl: string; tenantId: string; apiKey: string }) {
  return async (tool: string, args: unknown) => {
    const response = await fetch(`${quickstart.appUrl}/api/agent/dispatch`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${quickstart.apiKey}` },
      body: JSON.stringify({ tenantId: quickstart.tenantId, tool, args }),
    });
    const body = JSON.parse(await response.text());
    if (response.status !== 200) throw new Error(`${tool}: ${response.status} ${JSON.stringify(body)}`);
    return body.result;
  };
}

/** The two that are answered and the one that is not. */
const ORDERS_IN_ALL = 3;

type Call = ReturnType<typeof createClient>;
const today = Temporal.Now.plainDateISO("UTC");

async function bookFlights(call: Call) {
  const query = { origin: "LHR", destination: "JFK", departureDate: today.add({ days: 60 }).toString() };
  const { offers } = await call("search_flights", query);
  const bookedFlight = await call("book_flight", { offerId: offers[0].id });
  const cancellable = await call("book_flight", { offerId: offers[1].id });
  const cancellation = await call("cancel_order_quote", { orderId: cancellable.orderId });
  return { bookedFlight, cancellable, cancellation };
}

async function bookStay(call: Call) {
  const { accommodations } = await call("search_hotels", {
    location: "London",
    checkInDate: today.add({ days: 60 }).toString(),
    checkOutDate: today.add({ days: 62 }).toString(),
  });
  const quote = await call("quote_stay", { rateId: accommodations[0].cheapestRate.id });
  const guests = [{ givenName: "Demo", familyName: "Traveler" }];
  return await call("book_stay", { quoteId: quote.id, email: "demo.traveler@example.com", guests });
}

async function prefundTrips(call: Call) {
  const terms = { budgetUsdc: "1500.00", expiresInDays: 60 };
  const unclaimed = await call("prefund_trip", { ...terms, require2fa: true });
  const claimed = await call("prefund_trip", terms);
  await call("guest_claim_link", {
    guestLink: claimed.guestLink,
    guestWallet: "0x00000000000000000000000000000000000a11ce",
  });
  const reserved = await call("reserve_booking", { tripId: claimed.tripId, upperBoundUsdc: "250.00" });
  const committed = await call("reserve_booking", { tripId: claimed.tripId, upperBoundUsdc: "300.00" });
  await call("commit_booking", {
    bookingId: committed.bookingId,
    vendorAmountUsdc: "231.40",
    feeAmountUsdc: "5.00",
    vendorAddress: "0x00000000000000000000000000000000000a11ce",
    itineraryHash: `0x${"17".repeat(32)}`,
  });
  return { unclaimed, claimed, reserved, committed };
}

/** A booking of which nobody knows what became of it: the supplier makes it and says nothing. */
async function leaveBookingOpen(call: Call, quickstart: Quickstart, pool: pg.Pool): Promise<string> {
  const query = { origin: "LHR", destination: "JFK", departureDate: today.add({ days: 61 }).toString() };
  const { offers } = await call("search_flights", query);
  await fetch(`${quickstart.supplierUrl}/_sandbox/scenarios`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ match: { path: "/air/orders", method: "POST" }, fault: "reset_after_effect", times: 1 }),
  });
  void call("book_flight", { offerId: offers[0].id }).catch(() => undefined);
  await until("the supplier's part of it", async () => {
    const response = await fetch(`${quickstart.supplierUrl}/_sandbox/ledger`);
    return JSON.parse(await response.text()).orders.length === ORDERS_IN_ALL ? true : undefined;
  });
  const { rows } = await pool.query("select id from booking where state = 'ordering'");
  return rows[0].id;
}

/** A call that was paid for and answered, whose money is not collected yet. */
async function leavePaymentOpen(quickstart: Quickstart, pool: pg.Pool): Promise<void> {
  const wallet = new x402Client()
    .setSpendControls({
      allowedAssets: [
        { network: quickstart.chain.network, asset: quickstart.chain.usdc, maxAmountPerPayment: "100000" },
      ],
    })
    .register("eip155:*", new ExactEvmScheme(privateKeyToAccount(quickstart.payer.privateKey)));
  const buying = wrapFetchWithPayment(fetch, wallet);
  const query = { origin: "LHR", destination: "CDG", departureDate: today.add({ days: 60 }).toString() };
  void buying(`${quickstart.edgeUrl}/tools/search_flights`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(query),
  }).catch(() => undefined);
  await until("a payment that is earned", async () => {
    const { rows } = await pool.query("select 1 from payment where state = 'earned'");
    return rows[0];
  });
}

interface Quickstart {
  appUrl: string;
  edgeUrl: string;
  supplierUrl: string;
  tenantId: string;
  apiKey: string;
  chain: { network: `${string}:${string}`; usdc: `0x${string}` };
  payer: { privateKey: `0x${string}` };
}

async function work(dataDir: string, pool: pg.Pool) {
  const quickstart: Quickstart = JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"));
  const call = createClient(quickstart);
  await until("a funded wallet", async () =>
    Number((await call("check_treasury", {})).balances.USDC) > 0 ? true : undefined,
  );
  const flights = await bookFlights(call);
  const stay = await bookStay(call);
  const trips = await prefundTrips(call);
  const feedback = await call("give_feedback", {
    subjectAgentId: "1",
    stars: 5,
    tag: "punctual",
    fromKind: "org",
  });
  const treasury = await call("check_treasury", {});
  await leavePaymentOpen(quickstart, pool);
  const openBookingId = await leaveBookingOpen(call, quickstart, pool);
  return { ...flights, stay, ...trips, feedback, treasury, openBookingId, madeAt: Temporal.Now.instant().toString() };
}

const postgres = await startTestPostgres({ fsync: false });
const dataDir = mkdtempSync(join(tmpdir(), "wayfare-data-folder-"));
const databaseUrl = new URL(postgres.adminUrl);
databaseUrl.pathname = `/${DATABASE}`;
await withClient(postgres.adminUrl, (client) => client.query(`create database ${DATABASE}`), 60_000);
const pool = new pg.Pool({ connectionString: databaseUrl.href, max: 2 });
pool.on("error", () => undefined);
const service = spawn(join(release, "node_modules/.bin/node"), [join(release, "server/src/main.ts")], {
  cwd: release,
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl.href,
    PORT: "0",
    EDGE_PORT: "0",
    PAYMENT_BATCH_WINDOW_MS: PAYMENT_BATCH_WINDOW_MILLISECONDS,
  },
  stdio: "inherit",
});
function killEverything(): void {
  service.kill("SIGKILL");
  const { parts } = JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"));
  for (const { pid } of parts) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Ended by itself.
    }
  }
}
try {
  await until("the service", () => (existsSync(join(dataDir, "quickstart.json")) ? true : undefined));
  await delay(2_000);
  const facts = await work(dataDir, pool);
  killEverything();
  const sandboxUrl = new URL(databaseUrl);
  sandboxUrl.pathname = `/${DATABASE}_sandbox`;
  const tables = await readTables(databaseUrl.href);
  const sandboxTables = await readTables(sandboxUrl.href);
  const made = { facts, tables, sandboxTables, files: readFolder(dataDir) };
  writeFileSync(target, gzipSync(JSON.stringify(made), { level: 9 }));
} finally {
  killEverything();
  await pool.end();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
