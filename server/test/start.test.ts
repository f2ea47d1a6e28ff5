import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { startApp } from "../src/compose.ts";
import { readConfig } from "../src/config/config.ts";
import { describeError } from "../src/main.ts";

// Two starts of the whole product, from a folder that no other process has read before.
vi.setConfig({ testTimeout: 300_000 });

/**
 * The product as a newcomer starts it: a process of its own with everything embedded, as an ordinary user also when the tests
 * run as root, from a path with a space.
 */
const repository = resolve(import.meta.dirname, "../..");
const NOBODY = 65_534;
/** The root of a container that has only one user cannot become another; the product then starts as that user. */
const hasOtherUsers = () =>
  process.platform !== "linux" || !/^\s*\d+\s+\d+\s+1\s*$/.test(readFileSync("/proc/self/uid_map", "utf8"));
const asRoot = process.getuid?.() === 0 && hasOtherUsers();
const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {};

const Quickstart = z.object({
  appUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
  supplierUrl: z.string(),
});
const Parts = z.object({ parts: z.array(z.object({ name: z.string(), pid: z.number() })) });
const Search = z.object({
  result: z.object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })) }),
});
const Booked = z.object({ result: z.object({ pnr: z.string(), orderId: z.string() }), priceMicroUsdc: z.string() });

const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare start "));
const home = join(folder, "a clone");
const dataDir = join(folder, "data dir");
/** Where one start finds what an earlier one has compiled, as by `npm start`; the first one finds nothing. */
const compiled = join(folder, "compiled");
// The pinned Node of the copy: the repository itself may be closed to other users.
const node = join(home, relative(repository, process.execPath));
const children: ChildProcess[] = [];
const environment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: compiled,
  DATA_DIR: dataDir,
  PORT: "0",
  EDGE_PORT: "0",
};

beforeAll(() => {
  // Another user must be able to read the program, wherever the repository lies. Links are as good as copies where they work.
  mkdirSync(home);
  mkdirSync(dataDir);
  mkdirSync(compiled);
  for (const name of readdirSync(repository).filter((entry) => !entry.startsWith("."))) {
    copyTree(join(repository, name), home);
  }
  if (asRoot) {
    execFileSync("chmod", ["755", folder, home]);
    chownSync(dataDir, NOBODY, NOBODY);
    chownSync(compiled, NOBODY, NOBODY);
  }
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const pid of partPids()) killGroup(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

function copyTree(from: string, into: string): void {
  try {
    execFileSync("cp", ["-al", from, into], { stdio: "ignore" });
  } catch {
    execFileSync("cp", ["-a", from, into]);
  }
}

function partPids(): number[] {
  try {
    return Parts.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"))).parts.map((part) => part.pid);
  } catch {
    return [];
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

async function start() {
  const child = spawn(node, ["server/src/main.ts"], {
    cwd: home,
    env: { ...environment, HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "pipe"],
    ...identity,
  });
  children.push(child);
  const lines: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes("first call")) {
      const quickstart = Quickstart.parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8")));
      return { child, quickstart, lines };
    }
  }
  throw new Error(`The product did not start:\n${lines.join("\n")}`);
}

/** With all that it said. */
const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve));

it("starts, sells a flight, survives SIGKILL with the same key, and stops without a trace", async () => {
  const first = await start();
  const call = async (quickstart: z.infer<typeof Quickstart>, tool: string, args: unknown) => {
    const response = await fetch(`${quickstart.appUrl}/api/agent/dispatch`, {
      method: "POST",
      headers: { authorization: `Bearer ${quickstart.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ tenantId: quickstart.tenantId, tool, args }),
    });
    return await response.json();
  };
  expect(first.lines.join("\n")).toContain(first.quickstart.appUrl);
  const departureDate = Temporal.Now.plainDateISO().add({ days: 60 }).toString();
  const found = Search.parse(
    await call(first.quickstart, "search_flights", { origin: "LHR", destination: "JFK", departureDate }),
  );
  expect(found.result.offers).toHaveLength(3);
  const offerId = found.result.offers[0]?.id;
  const booked = Booked.parse(await call(first.quickstart, "book_flight", { offerId }));
  expect(booked.priceMicroUsdc).toBe("20000");

  first.child.kill("SIGKILL");
  await ended(first.child);
  const second = await start();
  expect(second.quickstart.apiKey).toBe(first.quickstart.apiKey);
  expect(second.quickstart.operatorKey).toBe(first.quickstart.operatorKey);
  const enforce = async (key: string) => {
    const response = await fetch(`${second.quickstart.appUrl}/api/policy-enforcement`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ policyId: null }),
    });
    return response.status;
  };
  expect(await enforce(second.quickstart.apiKey)).toBe(403);
  expect(await enforce(second.quickstart.operatorKey)).toBe(200);
  expect(second.quickstart.supplierUrl).toBe(first.quickstart.supplierUrl);
  const again = Booked.parse(await call(second.quickstart, "book_flight", { offerId }));
  expect(again.result).toEqual(booked.result);

  const quickstart = readFileSync(join(dataDir, "quickstart.json"), "utf8");
  const beside = await startApp(readConfig(environment));
  const stays = `stays with the service at ${second.quickstart.appUrl} that runs in the`;
  expect(beside.facts.map(({ text }) => text).join("\n")).toContain(stays);
  expect(readFileSync(join(dataDir, "quickstart.json"), "utf8")).toBe(quickstart);
  await beside.stop();

  const pids = partPids();
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(pids.every(isAlive)).toBe(true);
  second.child.kill("SIGTERM");
  expect(await ended(second.child)).toBe(0);
  while (pids.some(isAlive)) await delay(20);
});

/** All that a start says that fails. */
async function startRefused(others: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(node, ["server/src/main.ts"], {
    cwd: home,
    env: { ...environment, ...others },
    stdio: ["ignore", "pipe", "pipe"],
    ...identity,
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  expect(await ended(child), text).toBe(1);
  return text.trim();
}

/** The same of a start in this process. */
async function readRefusal(settings: NodeJS.ProcessEnv, progress = (_line: string): unknown => undefined) {
  try {
    await (await startApp(readConfig(settings), { progress })).stop();
  } catch (error) {
    return describeError(error);
  }
  throw new Error("It started.");
}

it.each([
  [{ NETWORK_MODE: "production", PORT: "nine" }, /PORT must be a whole number/],
  [{ DATA_DIR: "/proc/nowhere/data" }, /^\/proc\/nowhere cannot be created: set DATA_DIR/],
  [{ DATA_DIR: join(home, "package.json", "data") }, /package\.json\/data\S* cannot be used as a folder: set DATA_DIR/],
  [{ DATABASE_URL: "postgres://x:y@127.0.0.1:1/z" }, /\(ECONNREFUSED\): nothing listens there; start it, or correct/],
])("a start with %j is refused for what is said in one line", async (others, line) => {
  // In this process: that one of its own says just that, and ends, the next test shows.
  const text = await readRefusal({ ...environment, ...others });
  expect(text.split("\n")).toHaveLength(1);
  expect(text).toMatch(line);
});

it("a start on an address of another machine says in one line what to do", async () => {
  const others = { HOST: "192.0.2.1" };
  const text = await startRefused(others);
  expect(text).toMatch(/^Not started: cannot listen on 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)\. .*set HOST/);
  expect(text).toBe(await readRefusal({ ...environment, ...others }));
});

it("a master key that is lost or another one ends the start before the chain, and nothing is made over it", async () => {
  const path = join(dataDir, "master.key");
  const aside = `${path}.aside`;
  renameSync(path, aside);
  const before = readdirSync(dataDir);
  expect(await readRefusal(environment)).toBe(
    `${path} is missing, and the database beside it, ${join(dataDir, "postgres", "data")}, was written with it. Put the file back from a copy; without it the wallets and personal numbers in that database cannot be read. To start afresh, move the whole folder away.`,
  );
  expect(readdirSync(dataDir)).toEqual(before);
  writeFileSync(path, "ab".repeat(32), { mode: 0o600 });
  if (asRoot) chownSync(path, NOBODY, NOBODY);
  const prefund = readFileSync(join(dataDir, "devnet", "prefund.json"), "utf8");
  const lines: string[] = [];
  expect(await readRefusal(environment, (line) => lines.push(line))).toMatch(
    /^\/.*master\.key is not the key that the database beside it, .* was written with\. Put/,
  );
  expect(lines.join()).not.toContain("chain");
  expect(readFileSync(join(dataDir, "devnet", "prefund.json"), "utf8")).toBe(prefund);
  expect(readFileSync(path, "utf8")).toBe("ab".repeat(32));
  renameSync(aside, path);
});
