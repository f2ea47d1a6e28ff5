// Makes the DATA_DIR that a released version leaves behind in the middle of its work, for the test that the present version opens
// it and finishes everything in it (server/test/data-dir.isolated.test.ts). Give it a checkout of that version with its packages:
//
//   node_modules/.bin/node scripts/make-data-dir.ts <checkout> <archive.tar.br>
//
// It drives that version over HTTP only, and holds what must stay open by a lock in its database until the version is killed.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import pg from "pg";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { embeddedDatabaseUrl } from "../server/src/embedded/postgres/postgres-part.ts";

const GUEST_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const POLL_MILLISECONDS = 50;
const PATIENCE_MILLISECONDS = 180_000;

const Hex = z.templateLiteral(["0x", z.string()]);
const Quickstart = z.object({
  appUrl: z.string(),
  edgeUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  chain: z.object({ network: z.templateLiteral([z.string(), ":", z.string()]), usdc: Hex }),
  payer: z.object({ privateKey: Hex }),
});
type Quickstart = z.infer<typeof Quickstart>;
const Parts = z.object({ parts: z.array(z.object({ name: z.string(), pid: z.number() })) });

const Offers = z.object({ offers: z.tuple([z.object({ id: z.string() })], z.unknown()) });
const Hotels = z.object({
  accommodations: z.tuple([z.object({ cheapestRate: z.object({ id: z.string() }) })], z.unknown()),
});
const Identified = z.object({ id: z.string() });
const Booked = z.object({ bookingId: z.string() });
const Trip = z.object({ tripId: z.string(), guestLink: z.string(), claimCode: z.string() });
type Trip = z.infer<typeof Trip>;

const [tree, archive] = process.argv.slice(2);
if (tree === undefined || archive === undefined) throw new Error("make-data-dir.ts <checkout> <archive.tar.br>");
const folder = mkdtempSync(join(tmpdir(), "wayfare-data-dir-"));
const dataDir = join(folder, "data");
mkdirSync(dataDir, { mode: 0o700 });
const service = spawn(process.execPath, [join(resolve(tree), "server/src/main.ts")], {
  cwd: resolve(tree),
  env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "warn" },
  stdio: ["ignore", "inherit", "inherit"],
});
try {
  const facts = await makeWork(await started());
  writeFileSync(join(folder, "facts.json"), `${JSON.stringify(facts, undefined, 2)}\n`);
} finally {
  service.kill("SIGKILL");
  await stopParts();
}
rmSync(join(dataDir, "logs"), { recursive: true, force: true });
const tar = execFileSync("tar", ["-C", folder, "-cf", "-", "facts.json", "data"], { maxBuffer: 2 ** 30 });
const compressed = brotliCompressSync(tar, {
  params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
});
writeFileSync(archive, compressed);
rmSync(folder, { recursive: true });
process.stdout.write(`${archive}: ${compressed.length} bytes, ${tar.length} unpacked\n`);

async function started(): Promise<Quickstart> {
  const file = join(dataDir, "quickstart.json");
  return await until(() => (existsSync(file) ? Quickstart.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined));
}

/** Everything that a deployment can hold; what the test needs to go on with it. */
async function makeWork(quickstart: Quickstart) {
  const database = new pg.Client({ connectionString: embeddedDatabaseUrl(dataDir) });
  // Its server is stopped at the end, also when something failed before.
  database.on("error", () => undefined);
  await database.connect();
  await until(async () => {
    const { rowCount } = await database.query(
      "select 1 from ledger_account where kind = 'prefunded' and tenant_id = $1 and balance_micro > 0",
      [quickstart.tenantId],
    );
    return rowCount === 2 ? true : undefined;
  });
  const call = caller(quickstart);
  const flight = await bookFlight(call);
  const stay = await bookStay(call);
  const open = await prefund(call);
  const claimed = await prefund(call);
  const begun = await prefund(call);
  for (const trip of [claimed, begun]) await claim(quickstart, trip);
  const upperBoundUsdc = "20.00";
  const committed = Booked.parse(await call("reserve_booking", { tripId: claimed.tripId, upperBoundUsdc }));
  await call("commit_booking", {
    bookingId: committed.bookingId,
    vendorAmountUsdc: "15.00",
    feeAmountUsdc: "1.00",
    vendorAddress: "0x00000000000000000000000000000000000a11ce",
    itineraryHash: `0x${"17".repeat(32)}`,
  });
  // Nothing is signed from here on: what is asked for is stored and stays under way.
  await database.query("begin");
  await database.query("select 1 from wallet where kind = 'relayer' for update");
  const waiting = [
    pay(quickstart),
    call("reserve_booking", { tripId: begun.tripId, upperBoundUsdc }),
    call("send_tokens", { token: "USDC", to: GUEST_WALLET, amount: "3.00" }),
  ].map((asked) => asked.catch(() => undefined));
  await until(async () => {
    const { rows } = await database.query(
      `select (select count(*)::int from payment where state = 'earned') as payments,
         (select count(*)::int from chain_transaction where state = 'queued' and purpose in ('escrow_booking', 'send_tokens')) as orders`,
    );
    return rows[0]?.payments === 1 && rows[0]?.orders === 2 ? true : undefined;
  });
  service.kill("SIGKILL");
  await Promise.all(waiting);
  await database.query("update chain_network set stopped_because = 'stopped for the test of another version'");
  await database.query("commit");
  const { tenantId, apiKey } = quickstart;
  await database.end();
  // The test goes on at this moment: what was signed, quoted and funded is valid for a time only.
  const madeAt = Temporal.Now.instant().toString({ fractionalSecondDigits: 0 });
  return { madeAt, tenantId, apiKey, flight, stay, open, claimed, begun, committed: committed.bookingId };
}

type Call = ReturnType<typeof caller>;

function caller({ appUrl, tenantId, apiKey }: Quickstart) {
  return async (tool: string, args: unknown): Promise<unknown> => {
    const response = await fetch(`${appUrl}/api/agent/dispatch`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ tenantId, tool, args }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${tool}: ${response.status} ${text}`);
    return z.object({ result: z.unknown() }).parse(JSON.parse(text)).result;
  };
}

function inDays(days: number): string {
  return Temporal.Now.plainDateISO("UTC").add({ days }).toString();
}

async function bookFlight(call: Call) {
  const route = { origin: "LHR", destination: "JFK", departureDate: inDays(60) };
  const [offer] = Offers.parse(await call("search_flights", route)).offers;
  return { offerId: offer.id, ...Booked.parse(await call("book_flight", { offerId: offer.id })) };
}

async function bookStay(call: Call) {
  const dates = { checkInDate: inDays(40), checkOutDate: inDays(42) };
  const [hotel] = Hotels.parse(await call("search_hotels", { location: "Lisbon", ...dates })).accommodations;
  const quote = Identified.parse(await call("quote_stay", { rateId: hotel.cheapestRate.id }));
  const guests = [{ givenName: "Amelia", familyName: "Hart" }];
  const stay = { quoteId: quote.id, email: "amelia@example.com", phoneNumber: "+442080160508", guests };
  return { quoteId: quote.id, ...Booked.parse(await call("book_stay", stay)) };
}

async function prefund(call: Call): Promise<Trip> {
  return Trip.parse(await call("prefund_trip", { budgetUsdc: "50.00", expiresInDays: 365, require2fa: true }));
}

async function claim({ appUrl }: Quickstart, { tripId, guestLink, claimCode }: Trip): Promise<void> {
  const response = await fetch(`${appUrl}/api/claims/${tripId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ linkSecret: new URL(guestLink).hash.slice(1), guestWallet: GUEST_WALLET, claimCode }),
  });
  if (response.status !== 200) throw new Error(`claim: ${response.status} ${await response.text()}`);
}

/** By somebody without an account, with the official client. */
async function pay({ edgeUrl, chain, payer }: Quickstart): Promise<unknown> {
  const client = new x402Client()
    .setSpendControls({
      allowedAssets: [{ network: chain.network, asset: chain.usdc, maxAmountPerPayment: "100000" }],
    })
    .register("eip155:*", new ExactEvmScheme(privateKeyToAccount(payer.privateKey)));
  return await wrapFetchWithPayment(fetch, client)(`${edgeUrl}/tools/search_flights`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ origin: "LHR", destination: "JFK", departureDate: inDays(61) }),
  });
}

/** The database, the chain and the supplier outlive a service that is killed. */
async function stopParts(): Promise<void> {
  const { parts } = Parts.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8")));
  for (const { name, pid } of parts) process.kill(pid, name === "postgres" ? "SIGINT" : "SIGTERM");
  await until(() => (parts.some(({ pid }) => isAlive(pid)) ? undefined : true));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error("What was waited for did not happen within three minutes.");
    await delay(POLL_MILLISECONDS);
  }
}
