import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { type App, startApp } from "../compose.ts";
import { readConfig } from "../config/config.ts";
import { backupProgram } from "./backup.ts";
import { withBooks } from "./books.ts";
import { chainProgram } from "./chain.ts";
import { runProgram } from "./command-line.ts";
import { restoreProgram } from "./restore.ts";

// Two starts of the whole product with everything embedded.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const Quickstart = z.object({ appUrl: z.string(), apiKey: z.string() });
const Found = z.object({ result: z.object({ offers: z.array(z.object({ id: z.string() })) }) });
const Booked = z.object({ result: z.object({ bookingId: z.string(), orderId: z.string() }) });
const Sent = z.object({ result: z.object({ txHash: z.string() }) });
const Status = z.looseObject({ stoppedBecause: z.string().nullable() });
const Unknown = z.object({ toBlock: z.string(), movements: z.array(z.object({ transactionHash: z.string() })) });
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const DAY = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();

const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare backup "));
const dataDir = join(folder, "data");
const copy = join(folder, "copies", "first");
const config = readConfig({ DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "fatal" });
let app: App | undefined;

beforeAll(async () => {
  app = await startApp(config);
});
afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function run(program: typeof backupProgram, ...args: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const add = (more: string) => {
    text += more;
  };
  const code = await runProgram(program, args, { out: add, error: add }, (work) => work(config));
  return { code, text };
}

async function call(tool: string, args: unknown): Promise<unknown> {
  const { appUrl, apiKey } = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));
  const response = await fetch(`${appUrl}/api/agent/dispatch`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ tool, args }),
  });
  return await response.json();
}

test("bookings from before a backup are there after its restore, can be finished, and the ledgers agree", async () => {
  const search = { origin: "LHR", destination: "JFK", departureDate: DAY };
  const offerId = Found.parse(await call("search_flights", search)).result.offers[0]?.id;
  const { bookingId, orderId } = Booked.parse(await call("book_flight", { offerId })).result;

  expect(await run(backupProgram, "--to", copy)).toEqual({
    code: 1,
    text: `A service or command is running on ${dataDir}: stop it, then try again.\n`,
  });
  await app?.stop();
  app = undefined;
  expect(await run(backupProgram, "--to", join(dataDir, "inside"))).toMatchObject({ code: 2 });
  expect(await run(backupProgram, "--to", copy)).toMatchObject({ code: 0 });
  expect(readdirSync(copy)).not.toContain("parts.json");
  expect(statSync(join(copy, "master.key")).mode & 0o777).toBe(0o600);
  expect((await run(backupProgram, "--to", copy)).text).toMatch(/is not empty: use a new folder/);

  // A database that diverges after the backup is simulated by another folder.
  writeFileSync(join(dataDir, "later"), "");
  expect((await run(restoreProgram, "--from", copy)).text).toMatch(
    /is not empty: choose a folder for its contents with --move-old-to/,
  );
  const old = join(folder, "old");
  const damaged = join(copy, "postgres", "data", "PG_VERSION");
  const whole = readFileSync(damaged);
  writeFileSync(damaged, Buffer.from(whole).fill(whole[0] === 0x31 ? 0x32 : 0x31, 0, 1));
  expect(await run(restoreProgram, "--from", copy, "--move-old-to", old)).toMatchObject({
    code: 1,
    text: expect.stringContaining("PG_VERSION is not what was backed up: nothing was restored."),
  });
  expect(readdirSync(folder).toSorted()).toEqual(["copies", "data"]);
  expect(readdirSync(dataDir)).toContain("later");
  writeFileSync(damaged, whole);

  expect(await run(restoreProgram, "--from", copy, "--move-old-to", old)).toMatchObject({ code: 0 });
  expect(readdirSync(old)).toContain("later");
  expect(readdirSync(dataDir)).not.toContain("later");
  app = await startApp(config);
  expect(await call("book_flight", { offerId })).toMatchObject({ ok: true, replayed: true, result: { bookingId } });
  expect(await call("read_order", { orderId })).toMatchObject({ ok: true, result: { orderId } });
  expect(await call("cancel_order_quote", { orderId })).toMatchObject({ ok: true, result: { orderId } });
  const books = { log: silent, progress: () => undefined, environment: "sandbox" as const };
  const status = await withBooks(config, books, (opened) => opened.status());
  expect(status).toMatchObject({ stoppedBecause: undefined, difference: { USDC: 0n, EURC: 0n } });
});

async function chain(...args: string[]): Promise<unknown> {
  let text = "";
  const add = (more: string) => {
    text += more;
  };
  const words = [...args, "--network", "sandbox", "--json"];
  await runProgram(chainProgram, words, { out: add, error: add }, (work) =>
    work((place, inner) => withBooks(config, { log: silent, progress: () => undefined, ...place }, inner)),
  );
  return JSON.parse(text);
}

test("a restore older than the chain lists all later movements at once, and is accepted in one step", async () => {
  const sent: string[] = [];
  for (const amount of ["1.5", "2.25", "3"]) {
    const answer = Sent.parse(await call("send_tokens", { to: "0x00000000000000000000000000000000000a11ce", amount }));
    sent.push(answer.result.txHash);
  }
  await app?.stop();
  app = undefined;
  const newer = join(folder, "newer");
  expect(await run(restoreProgram, "--from", copy, "--move-old-to", newer)).toMatchObject({ code: 0 });
  rmSync(join(dataDir, "devnet"), { recursive: true });
  renameSync(join(newer, "devnet"), join(dataDir, "devnet"));
  app = await startApp(config);

  const status = async () => Status.parse(await chain("status"));
  await expect
    .poll(status, { timeout: 120_000 })
    .toMatchObject({ stoppedBecause: expect.stringMatching(/left a wallet/) });
  expect(await call("send_tokens", { to: "0x00000000000000000000000000000000000a11ce", amount: "1" })).toMatchObject({
    ok: false,
    code: "settlement_stopped",
  });
  const { movements, toBlock } = Unknown.parse(await chain("unknown"));
  expect(movements.map(({ transactionHash }) => transactionHash)).toEqual(sent);
  const range = ["--from-block", "0", "--to-block", toBlock];
  expect(await chain("accept-unknown", ...range)).toMatchObject({ accepted: sent.length, refused: [] });
  await chain("resume");
  await expect
    .poll(status, { timeout: 120_000 })
    .toMatchObject({ stoppedBecause: null, difference: { usdc: "0.00", eurc: "0.00" } });
  expect(await call("send_tokens", { to: "0x00000000000000000000000000000000000a11ce", amount: "1" })).toMatchObject({
    ok: true,
  });
});
