import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { findFreePort } from "../src/embedded/free-port.ts";
import { toMessage } from "./support/mcp.ts";
import { createBuyer } from "./support/paid.ts";
import { programAt } from "./support/programs.ts";
import { searchDatabase } from "./support/search-database.ts";
import { dropSandboxDatabase } from "./support/service.ts";
import { createTestDatabase, type TestDatabase } from "./support/test-database.ts";
import { textPdf } from "./support/text-pdf.ts";

/**
 * A product in a separate process reads fifty documents over every surface. Afterwards no word of any is in its memory,
 * its log, its files or its database; a control of each search finds a planted text.
 */

const DOCUMENTS = 50;
const LONG_MILLISECONDS = 600_000;
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "wayfare-nothing-"));
const dataDir = join(folder, "data");
const dumps = join(folder, "dumps");
mkdirSync(dumps);

const Quickstart = z.object({ tenantId: z.string(), apiKey: z.string(), appUrl: z.string(), edgeUrl: z.string() });
let database: TestDatabase;
let pool: pg.Pool;
let child: ChildProcess;
let log = "";
let product: z.infer<typeof Quickstart>;
let buyer: ReturnType<typeof createBuyer>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  const [port, edgePort] = [await findFreePort(), await findFreePort()];
  const options = ["--heapsnapshot-signal=SIGUSR2", `--diagnostic-dir=${dumps}`];
  child = spawn(process.execPath, [...options, programAt("server/src/main.ts")], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOG_LEVEL: "debug",
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(port),
      EDGE_PORT: String(edgePort),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  await vi.waitFor(async () => expect(await isReady()).toBe(200), { timeout: 120_000, interval: 250 });
  product = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));
  buyer = createBuyer({ dataDir, edgeUrl: product.edgeUrl });
}, LONG_MILLISECONDS);

afterAll(async () => {
  if (child?.exitCode === null) {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  await pool?.end();
  await dropSandboxDatabase(database.url);
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

interface Sample {
  args: { kind: string; data: string; mediaType: string };
  /** Words that occur in it and nowhere else. */
  words: readonly string[];
}

const digits = (number: number, length: number): string => String(number).padStart(length, "0");

/** Each with unique words. */
function buildSample(number: number): Sample {
  const word = `Zyx${digits(number, 2)}quv`;
  const data = (lines: readonly string[]) => textPdf(lines).toString("base64");
  if (number % 5 === 4) {
    const documentNumber = `Q7${digits(number, 2)}93851`;
    // A name has no digits.
    const family = `ZYX${digits(number, 2).replaceAll(/\d/g, (digit) => "ABCDEFGHIJ".charAt(Number(digit)))}QUVSON`;
    const lines = passportLines({ documentNumber, family, given: "ANNA" });
    return {
      args: { kind: "id_document", data: data(lines), mediaType: "application/pdf" },
      words: [documentNumber, family],
    };
  }
  const invoiceNumber = `NV-${digits(number, 4)}-7731`;
  const total = `${digits(number, 2)}7.31`.replace(/^0/, "1");
  const lines = [`${word} Inn`, `Receipt ${invoiceNumber}`, "Date: 2026-05-28", `Total EUR ${total}`];
  return {
    args: { kind: number % 5 === 3 ? "invoice" : "receipt", data: data(lines), mediaType: "application/pdf" },
    words: [word, invoiceNumber],
  };
}

/** The printed page and the machine-readable zone of ICAO Doc 9303, part 4. */
function passportLines({ documentNumber, family, given }: { documentNumber: string; family: string; given: string }) {
  const number = documentNumber.padEnd(9, "<");
  const [born, expires, personal] = ["880412", "330915", "<".repeat(14)];
  const checked = (text: string) => text + checkDigit(text);
  const composite = checkDigit(`${checked(number)}${checked(born)}${checked(expires)}${checked(personal)}`);
  return [
    ...["PASSPORT", `Surname ${family}`, `Given names ${given}`, `Passport No ${documentNumber}`, "Nationality GBR"],
    ...["Date of birth 12 APR 1988", "Sex F", "Date of issue 15 SEP 2023", "Date of expiry 15 SEP 2033"],
    `P<GBR${family}<<${given}`.padEnd(44, "<"),
    `${checked(number)}GBR${checked(born)}F${checked(expires)}${checked(personal)}${composite}`,
  ];
}

function checkDigit(text: string): string {
  const worth = (letter: string) => (letter === "<" ? 0 : Number.parseInt(letter, 36));
  const sum = Array.from(text).reduce((total, letter, at) => total + worth(letter) * ([7, 3, 1][at % 3] ?? 0), 0);
  return String(sum % 10);
}

const Answer = z.looseObject({ fields: z.record(z.string(), z.unknown()), scanId: z.string().optional() });
const json = { "content-type": "application/json" };

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const authorization = `Bearer ${product.apiKey}`;
  const init = { method: "POST", headers: { ...json, authorization, ...headers }, body: JSON.stringify(body) };
  const response = await fetch(`${product.appUrl}${path}`, init);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

const Dispatched = z.object({ result: Answer });
const Called = z.object({ result: z.object({ structuredContent: Answer }) });

/** The surfaces take turns. */
async function scan({ args }: Sample, number: number): Promise<z.infer<typeof Answer>> {
  const tool = "scan_document";
  const surface = number % 4;
  if (surface === 0) {
    const headers = { "idempotency-key": `scan ${number}` };
    return Dispatched.parse(await post("/api/agent/dispatch", { tool, args }, headers)).result;
  }
  if (surface === 3) {
    const paid = await buyer.pay(tool, args);
    expect(paid.status, paid.text).toBe(200);
    return Dispatched.parse(paid.body).result;
  }
  const era = surface === 1 ? "modern" : "legacy";
  const { headers, message } = toMessage("tools/call", { name: tool, arguments: args }, { era });
  return Called.parse(await post("/api/mcp", message, headers)).result.structuredContent;
}

const sql = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;

/** `file:text` for each text that a file below it holds, once. */
async function searchFolder(path: string, texts: readonly string[]): Promise<string[]> {
  const patterns = join(folder, "patterns");
  writeFileSync(patterns, texts.join("\n"));
  const found = await run("grep", ["-r", "-a", "-o", "-F", "-f", patterns, path]).catch(
    (error: { stdout?: string }) => error,
  );
  return [...new Set((found.stdout ?? "").split("\n").filter((line) => line !== ""))];
}

/** Everything that the process still references, as a file. */
async function dumpHeap(): Promise<void> {
  for (const name of readdirSync(dumps)) rmSync(join(dumps, name));
  child.kill("SIGUSR2");
  // It is whole when its last bracket is there.
  const isWhole = () => readdirSync(dumps).some((name) => readFileSync(join(dumps, name)).subarray(-4).includes("]"));
  await vi.waitFor(() => expect(isWhole()).toBe(true), { timeout: 120_000, interval: 500 });
}

it(
  "nothing of fifty documents is left",
  async () => {
    const samples = Array.from({ length: DOCUMENTS }, (_, number) => buildSample(number));
    const words = samples.flatMap((sample) => sample.words);
    const scanIds: string[] = [];
    for (const [number, sample] of samples.entries()) {
      const { fields, scanId } = await scan(sample, number);
      expect(Object.keys(fields).length, sample.args.kind).toBeGreaterThan(0);
      if (scanId !== undefined) scanIds.push(scanId);
    }

    // Control: before its time is over, a row opens with its id, and what it held goes into a profile.
    const [scanId, ...others] = scanIds;
    expect(others.length).toBeGreaterThan(2);
    const args = { userId: "user_scanned", scanId, passportIssuedOn: "2023-09-15" };
    const saved = JSON.stringify(await post("/api/agent/dispatch", { tool: "save_traveler", args }));
    expect(saved).toContain("ANNA");
    // The profile is where these words belong.
    const erased = await fetch(`${product.appUrl}/api/travelers/user_scanned`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${product.apiKey}` },
    });
    expect(erased.ok, await erased.text()).toBe(true);
    const used = samples.find((sample) => sample.words.some((word) => saved.includes(word)));
    const left = words.filter((word) => !used?.words.includes(word));

    // Ten minutes later, as far as the rows know.
    await sql("update document_scan set expires_at = now() - interval '1 second'");
    await vi.waitFor(async () => expect(await sql("select 1 from document_scan")).toEqual([]), { timeout: 60_000 });

    await sql("create table planted (text text)");
    await sql("insert into planted values ($1)", [left[0]]);
    expect(await searchDatabase({ sql }, left[0] ?? "")).toEqual([expect.stringContaining("planted")]);
    await sql("drop table planted");
    for (const text of [...left, ...scanIds]) expect(await searchDatabase({ sql }, text)).toEqual([]);

    writeFileSync(join(dataDir, "planted"), `before ${left[1]} after`);
    expect(await searchFolder(dataDir, left)).toEqual([`${join(dataDir, "planted")}:${left[1]}`]);
    rmSync(join(dataDir, "planted"));
    expect(await searchFolder(dataDir, [...left, ...scanIds])).toEqual([]);

    expect(log).toContain("ready");
    expect([...words, ...scanIds].filter((text) => log.includes(text))).toEqual([]);

    await dumpHeap();
    expect(await searchFolder(dumps, [product.tenantId])).toHaveLength(1);
    const documents = samples.map(({ args: { data } }) => data.slice(200, 300));
    expect(await searchFolder(dumps, [...left, ...scanIds, ...documents])).toEqual([]);
  },
  LONG_MILLISECONDS,
);
