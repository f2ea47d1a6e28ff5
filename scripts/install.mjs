// Runs before anything is installed, under whatever Node launched npm (20 or newer): plain JavaScript, no packages.
// `--for-start` also looks at the ports of the service, before somebody waits for an installation that ends in a refusal.
// Makes node_modules fit package-lock.json, then tries the pinned Node that everything else runs under.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".wayfare-install.json");
const npmOwnRecord = join(modules, ".package-lock.json");
const lockFolder = join(root, ".install.lock");
const PROGRESS_EVERY_MS = 5_000;
const ORPHAN_POLL_MS = 300;
const KEPT_OUTPUT_CHARACTERS = 20_000;

const say = (line) => process.stdout.write(`wayfare: ${line}\n`);
const fail = (line) => {
  process.stderr.write(`wayfare: ${line}\n`);
  process.exit(1);
};
const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
};

// --- Is it installed?

const lockText = readFileSync(join(root, "package-lock.json"), "utf8");
const lockedPackages = JSON.parse(lockText).packages;
const stamp = JSON.stringify({
  lock: createHash("sha256").update(lockText).digest("hex"),
  platform: process.platform,
  arch: process.arch,
});

const includes = (list, value) => list === undefined || [list].flat().includes(value);
/** The packages that node_modules must have on this platform, without those of other platforms. */
const requiredPaths = Object.entries(lockedPackages)
  .filter(([path, locked]) => {
    if (!path.startsWith("node_modules/") && !path.includes("/node_modules/")) return false;
    if (!locked.optional) return true;
    const forPlatforms = locked.os !== undefined || locked.cpu !== undefined;
    return (
      forPlatforms &&
      includes(locked.os, process.platform) &&
      includes(locked.cpu, process.arch) &&
      includes(locked.libc, "glibc")
    );
  })
  .map(([path]) => path);

const allPresent = () => requiredPaths.every((path) => existsSync(join(root, path)));

/** npm writes its own record last: an installation made by hand (npm ci, npm install) that fits is taken as it is. */
const madeByHand = () => {
  const record = readJson(npmOwnRecord)?.packages;
  return (
    record !== undefined &&
    requiredPaths.every((path) => {
      const [found, locked] = [record[path], lockedPackages[path]];
      return found !== undefined && found.version === locked.version && found.integrity === locked.integrity;
    })
  );
};

const isInstalled = () => {
  if (!allPresent()) return false;
  if (JSON.stringify(readJson(stampFile)) === stamp) return true;
  if (!madeByHand()) return false;
  try {
    writeFileSync(stampFile, stamp);
  } catch {
    // Somebody else's folder that this user may only read: it fits all the same.
  }
  return true;
};

// --- One installation at a time

/** Number and start time name a process for good; a zombie counts as dead. */
const readStartTime = (pid) => {
  if (!Number.isInteger(pid)) return undefined;
  try {
    if (process.platform === "linux") {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return "ZX".includes(fields[0]) ? undefined : fields[19];
    }
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
};
const identify = (pid) => ({ pid, startTime: readStartTime(pid) });
const isAlive = (identity) => identity?.startTime !== undefined && readStartTime(identity.pid) === identity.startTime;

/** The newest generation of the lock: its number and who holds it. */
const readLock = () => {
  const generation = Math.max(
    0,
    ...readdirSync(lockFolder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  );
  return { generation, holder: generation ? readJson(join(lockFolder, String(generation))) : undefined };
};
const writeDraft = (content) => {
  const draft = join(lockFolder, `draft-${process.pid}-${randomBytes(4).toString("hex")}`);
  writeFileSync(draft, JSON.stringify(content));
  return draft;
};

/** The npm of a killed installer goes on by itself and would write beside ours: end it and what it started. */
const endOrphan = async (npm) => {
  if (!isAlive(npm)) return;
  say(`ending the installation that a killed start left running (process ${npm.pid})`);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      process.kill(-npm.pid, "SIGKILL");
    } catch {
      return;
    }
    await delay(50);
  }
};

/**
 * A dead holder's generation is never removed or reused, only succeeded: the next number is made by link(), which
 * exactly one process can do, and it counts only if no higher number is there. So a slow newcomer that still looks at
 * an old generation cannot take the lock from a living holder.
 */
const acquireLock = async () => {
  mkdirSync(lockFolder, { recursive: true });
  writeFileSync(join(lockFolder, ".gitignore"), "*\n");
  let told = false;
  for (;;) {
    const { generation, holder } = readLock();
    if (isAlive(holder)) {
      if (!told) say(`another npm start or npm test is installing (process ${holder.pid}), waiting for it`);
      told = true;
      await delay(200);
      continue;
    }
    const own = join(lockFolder, String(generation + 1));
    const draft = writeDraft(identify(process.pid));
    try {
      linkSync(draft, own);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      continue;
    } finally {
      rmSync(draft, { force: true });
    }
    if (readLock().generation !== generation + 1) {
      rmSync(own, { force: true });
      continue;
    }
    await endOrphan(holder?.npm);
    for (const name of readdirSync(lockFolder)) {
      if (/^\d+$/.test(name) && Number(name) <= generation) rmSync(join(lockFolder, name), { force: true });
    }
    const replace = (content) => renameSync(writeDraft(content), own);
    return {
      recordNpm: (pid) => replace({ ...identify(process.pid), npm: identify(pid) }),
      release: () => replace({ released: true }),
    };
  }
};

// --- Installing

const isWritable = (folder) => {
  try {
    mkdirSync(folder, { recursive: true });
    for (const path of [folder, join(folder, "_cacache"), join(folder, "_cacache", "tmp"), join(folder, "_logs")]) {
      if (existsSync(path)) accessSync(path, constants.W_OK | constants.X_OK);
    }
    return true;
  } catch {
    return false;
  }
};

/** npm's own cache where this user may write to it; else one for this time. */
const chooseCache = () => {
  const usual = process.env.npm_config_cache || join(process.env.HOME || homedir(), ".npm");
  if (isWritable(usual)) return { folder: usual, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "wayfare-npm-cache-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
};

/** The npm that was used to get here; another package manager's launcher would not know `ci`. */
const npmCommand = () => {
  const launcher = process.env.npm_execpath ?? "";
  if (basename(launcher) === "npm-cli.js") return { command: process.execPath, words: [launcher] };
  return { command: "npm", words: [] };
};

let endRunningNpm;
let givingUp = false;

const runNpm = async (lock, cacheFolder) => {
  const { command, words } = npmCommand();
  // Said outright, so that neither NODE_ENV=production nor an operator's npm settings leave something out.
  const options = [
    "ci",
    "--include=dev",
    "--include=optional",
    "--ignore-scripts=false",
    "--bin-links=true",
    "--package-lock=true",
    "--engine-strict=false",
    "--install-strategy=hoisted",
    "--prefer-offline",
    "--audit=false",
    "--fund=false",
    "--update-notifier=false",
    "--progress=false",
    "--loglevel=error",
    `--cache=${cacheFolder}`,
  ];
  // A separate process group, so that it can be ended together with the install scripts that it started.
  const npm = spawn(command, [...words, ...options], { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk) => {
    output = (output + chunk).slice(-KEPT_OUTPUT_CHARACTERS);
  };
  npm.stdout.on("data", keep);
  npm.stderr.on("data", keep);
  const ended = new Promise((resolve) => {
    npm.once("error", (error) => resolve({ code: 1, reason: error.message }));
    npm.once("close", (code, signal) => resolve({ code: code ?? 1, reason: signal ?? `exit code ${code}` }));
  });
  if (npm.pid !== undefined) {
    // At exit, not at close: an install script left in a separate process group would delay the close.
    const gone = new Promise((resolve) => npm.once("exit", resolve));
    lock.recordNpm(npm.pid);
    endRunningNpm = async () => {
      process.kill(-npm.pid, "SIGTERM");
      await Promise.race([ended, delay(3_000)]);
      if (!isAlive(identify(npm.pid))) return;
      process.kill(-npm.pid, "SIGKILL");
      await gone;
    };
  }
  const begun = Date.now();
  const ticker = setInterval(() => {
    say(`still installing, ${Math.round((Date.now() - begun) / 1_000)} s`);
  }, PROGRESS_EVERY_MS);
  const result = await ended;
  clearInterval(ticker);
  endRunningNpm = undefined;
  return { ...result, output, seconds: Math.round((Date.now() - begun) / 1_000) };
};

const install = async () => {
  let lock;
  try {
    lock = await acquireLock();
  } catch (error) {
    fail(
      `the packages do not fit package-lock.json and ${root} is not writable (${error.code}): run npm ci as its owner`,
    );
  }
  let cache;
  const giveUp = async (exitCode) => {
    givingUp = true;
    process.exitCode = exitCode;
    await endRunningNpm?.().catch(() => undefined);
    cache?.remove();
    lock.release();
    process.exit(exitCode);
  };
  process.once("SIGINT", () => giveUp(130));
  process.once("SIGHUP", () => giveUp(129));
  process.once("SIGTERM", () => giveUp(143));
  // A SIGTERM to npm reaches only the shell between npm and this process: its death is the signal.
  const parent = process.ppid;
  const orphanWatch = setInterval(() => process.ppid !== parent && giveUp(143), ORPHAN_POLL_MS);
  try {
    // The previous holder of the lock may have done it.
    if (isInstalled()) return;
    say(`installing ${requiredPaths.length} packages (once; takes a minute or less)`);
    mkdirSync(modules, { recursive: true });
    // Both say "complete"; npm removes the packages in no particular order, so these go first.
    rmSync(stampFile, { force: true });
    rmSync(npmOwnRecord, { force: true });
    cache = chooseCache();
    const { code, reason, output, seconds } = await runNpm(lock, cache.folder);
    if (givingUp) return;
    if (code !== 0 || !allPresent()) {
      process.stderr.write(output);
      const missing = requiredPaths.filter((path) => !existsSync(join(root, path))).slice(0, 3);
      const what = code === 0 ? `missing: ${missing.join(", ")}` : reason;
      process.exitCode = 1;
      process.stderr.write(
        `wayfare: npm could not install the packages (${what}): check the network, the disk and npm's registry setting, then run it again\n`,
      );
      return;
    }
    say(`installed in ${seconds} s`);
    writeFileSync(stampFile, stamp);
  } finally {
    clearInterval(orphanWatch);
    cache?.remove();
    lock.release();
  }
};

// --- The pinned Node

const explainNode = (stderr, platform) => {
  if (/libatomic/.test(stderr)) {
    return "the pinned Node needs the system library libatomic.so.1: install it (Debian, Ubuntu: apt-get install libatomic1; Fedora: dnf install libatomic), then run this again";
  }
  const library = /error while loading shared libraries: ([^:]+)/.exec(stderr)?.[1];
  if (library) return `the pinned Node needs the system library ${library}: install it, then run this again`;
  return `the pinned Node does not start on this machine (${platform}, ${stderr.trim().split("\n")[0] || "no reason given"}): it needs a Linux with glibc 2.28 or newer, or macOS`;
};

const checkNode = () => {
  const platform = `${process.platform}-${process.arch}`;
  const names = ["node-", "node-bin-"].map((prefix) => `node_modules/${prefix}${platform}`);
  const pinned = names.map((name) => lockedPackages[name]).find(Boolean);
  if (!pinned) fail(`there is no pinned Node for ${platform}: Linux and macOS on x64 or arm64 are supported`);
  const tried = spawnSync(join(modules, ".bin", "node"), ["--version"], { encoding: "utf8" });
  const version = tried.stdout?.trim();
  if (version === `v${pinned.version}`) return;
  fail(explainNode(tried.stderr || tried.error?.message || `it says version ${version}`, platform));
};

// --- The ports

const isFree = (port, host) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(error.code !== "EADDRINUSE"));
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });

/** The service checks everything else about its settings when it starts. */
const checkPorts = async () => {
  const { HOST: host = "127.0.0.1", SERVE: served } = process.env;
  const roles = [
    { name: "PORT", usual: 3000, isServed: served !== "edge" },
    { name: "EDGE_PORT", usual: 3001, isServed: served !== "app" },
  ];
  const asked = roles
    .filter(({ isServed }) => isServed)
    .map(({ name, usual }) => ({ name, port: Number(process.env[name] || usual) }));
  const taken = [];
  for (const { port } of asked) if (port > 0 && port < 65_536 && !(await isFree(port, host))) taken.push(port);
  if (taken.length === 0) return;
  const [most] = asked.map(({ port }) => port).toSorted((one, other) => other - one);
  let next = most;
  const settings = [];
  for (const { name } of asked) {
    do next += 1;
    while (next < 65_536 && !(await isFree(next, host)));
    settings.push(`${name}=${next < 65_536 ? next : 0}`);
  }
  const what = taken.length === 1 ? `port ${taken[0]} is` : `ports ${taken.join(" and ")} are`;
  fail(
    `${what} taken on ${host}. Stop what uses ${taken.length === 1 ? "it" : "them"}, or run: ${settings.join(" ")} npm start`,
  );
};

if (!isInstalled()) {
  if (process.argv.includes("--for-start")) await checkPorts();
  await install();
}
if (!process.exitCode) checkNode();
