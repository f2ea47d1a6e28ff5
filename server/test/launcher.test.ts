import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { identifyProcess } from "../src/embedded/process-identity.ts";
import { until } from "./support/embedded-fixture.ts";

const LAUNCHER = fileURLToPath(new URL("../../scripts/install.mjs", import.meta.url));
const STAND_IN_NPM = fileURLToPath(new URL("./support/npm-cli.js", import.meta.url));

// Each starts several processes, one after the other.
vi.setConfig({ testTimeout: 240_000 });

let root: string;
const at = (path: string) => join(root, path);
const started: ChildProcess[] = [];

const writeLock = (zodVersion: string): void => {
  const platform = `${process.platform}-${process.arch}`;
  const packages = {
    "": { name: "tried" },
    "node_modules/zod": { version: zodVersion, integrity: `sha512-${zodVersion}` },
    "node_modules/vitest": { version: "1.0.0", dev: true },
    [`node_modules/node-${platform}`]: {
      version: process.version.slice(1),
      optional: true,
      os: [process.platform],
      cpu: [process.arch],
    },
    "node_modules/elsewhere": { version: "1.0.0", optional: true, os: ["other"] },
  };
  writeFileSync(at("package-lock.json"), JSON.stringify({ packages }));
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "wayfare launcher "));
  mkdirSync(at("scripts"));
  copyFileSync(LAUNCHER, at("scripts/install.mjs"));
  writeLock("1.0.0");
});

const CallLine = z.object({ words: z.array(z.string()), pid: z.int() });
const npmCalls = () => {
  if (!existsSync(at("npm-calls"))) return [];
  const lines = readFileSync(at("npm-calls"), "utf8").trim().split("\n");
  return lines.map((line) => CallLine.parse(JSON.parse(line)));
};
const isRunning = (pid: number | undefined) => identifyProcess(pid ?? -1) !== undefined;

afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(at("npm-waits"), { force: true });
  await until(() => (npmCalls().some(({ pid }) => isRunning(pid)) ? undefined : true));
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

const launch = (environment: Record<string, string> = {}, ...words: string[]) => {
  const child = spawn(process.execPath, [at("scripts/install.mjs"), ...words], {
    env: { ...process.env, npm_execpath: STAND_IN_NPM, npm_config_cache: at("cache"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    output += text;
  });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, output })),
  );
  return { child, ended, said: (text: string) => until(() => (output.includes(text) ? true : undefined)) };
};

test("the first run installs everything, the next ones nothing, until the lock file changes or a package is gone", async () => {
  const first = await launch({ NODE_ENV: "production", npm_config_omit: "dev" }).ended;
  expect(first).toMatchObject({ code: 0 });
  expect(first.output).toContain("installing 3 packages");
  expect(npmCalls()[0]?.words).toEqual(
    expect.arrayContaining(["ci", "--include=dev", "--include=optional", "--ignore-scripts=false"]),
  );
  expect(await launch().ended).toEqual({ code: 0, output: "" });
  expect(npmCalls()).toHaveLength(1);
  writeLock("1.0.1");
  expect(await launch().ended).toMatchObject({ code: 0 });
  expect(npmCalls()).toHaveLength(2);
  rmSync(at("node_modules/vitest"), { recursive: true });
  expect(await launch().ended).toMatchObject({ code: 0 });
  expect(npmCalls()).toHaveLength(3);
});

test("npm start looks at its ports before it installs, and names a command with free ones", async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    other.listen({ port: 0, host: "127.0.0.1" }, () => {
      const address = other.address();
      if (address === null || typeof address === "string") reject(new Error("it has no port"));
      else resolve(address.port);
    });
  });
  try {
    const settings = { PORT: String(port), EDGE_PORT: "0" };
    const refused = await launch(settings, "--for-start").ended;
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toMatch(
      new RegExp(
        `^wayfare: port ${port} is taken on 127\\.0\\.0\\.1\\. .* run: PORT=\\d+ EDGE_PORT=\\d+ npm start\\n$`,
      ),
    );
    expect(npmCalls()).toEqual([]);
    expect(await launch({ ...settings, SERVE: "edge" }, "--for-start").ended).toMatchObject({ code: 0 });
    expect(npmCalls()).toHaveLength(1);
    // Installed: the service itself says what it finds.
    expect(await launch(settings, "--for-start").ended).toEqual({ code: 0, output: "" });
  } finally {
    other.close();
  }
});

test("an installation made by hand that fits is taken as it is", async () => {
  await launch().ended;
  rmSync(at("node_modules/.wayfare-install.json"));
  expect(await launch().ended).toEqual({ code: 0, output: "" });
  expect(npmCalls()).toHaveLength(1);
});

test("of three at once one installs and the others wait for it", async () => {
  writeFileSync(at("npm-waits"), "");
  const runs = [launch(), launch(), launch()];
  await until(() => (npmCalls().length > 0 ? true : undefined));
  await Promise.any(runs.map(({ said }) => said("waiting for it")));
  rmSync(at("npm-waits"));
  const results = await Promise.all(runs.map(({ ended }) => ended));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(npmCalls()).toHaveLength(1);
});

test("after a kill in the middle the next run ends the npm that goes on alone and installs anew", async () => {
  writeFileSync(at("npm-waits"), "");
  const first = launch();
  const orphan = await until(() => npmCalls()[0]?.pid);
  await until(() => readFileSync(at(".install.lock/1"), "utf8").includes(`"npm":{"pid":${orphan}`) || undefined);
  first.child.kill("SIGKILL");
  await first.ended.catch(() => undefined);
  expect(isRunning(orphan)).toBe(true);
  const second = launch();
  await until(() => (npmCalls().length > 1 ? true : undefined));
  expect(isRunning(orphan)).toBe(false);
  rmSync(at("npm-waits"));
  expect(await second.ended).toMatchObject({ code: 0 });
  expect(await launch().ended).toEqual({ code: 0, output: "" });
});

test("a SIGTERM in the middle ends npm too, and the next run repairs", async () => {
  writeFileSync(at("npm-waits"), "");
  const first = launch();
  const npm = await until(() => npmCalls()[0]?.pid);
  await until(() => readFileSync(at(".install.lock/1"), "utf8").includes('"npm"') || undefined);
  first.child.kill("SIGTERM");
  expect(await first.ended).toMatchObject({ code: 143 });
  expect(isRunning(npm)).toBe(false);
  rmSync(at("npm-waits"));
  expect(await launch().ended).toMatchObject({ code: 0 });
  expect(npmCalls()).toHaveLength(2);
});

test("where npm's own cache cannot be written it gets another one, removed afterwards", async () => {
  writeFileSync(at("file"), "");
  expect(await launch({ npm_config_cache: at("file/cache") }).ended).toMatchObject({ code: 0 });
  const cache =
    npmCalls()[0]
      ?.words.find((word) => word.startsWith("--cache="))
      ?.slice("--cache=".length) ?? "";
  expect(cache).toContain("wayfare-npm-cache-");
  expect(existsSync(cache)).toBe(false);
});

test("an npm that fails, and a pinned Node that does not start, are each said in one line", async () => {
  writeFileSync(at("npm-fails"), "");
  const failed = await launch().ended;
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.output).toContain(
    "npm error network is down\nwayfare: npm could not install the packages (exit code 1)",
  );
  rmSync(at("npm-fails"));
  const message = "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  writeFileSync(at("fake-node"), `#!/bin/sh\necho "${message}" >&2\nexit 127\n`, { mode: 0o755 });
  const lacking = await launch().ended;
  expect(lacking).toMatchObject({ code: 1 });
  expect(lacking.output.trim().split("\n").at(-1)).toMatch(
    /^wayfare: the pinned Node needs the system library libatomic\.so\.1: install it/,
  );
});
