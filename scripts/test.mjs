// `npm test`: types, lint, structure, unused code, generated files, and every test beside them. Runs under the pinned Node, after
// scripts/install.mjs.
// Further arguments go to vitest: `npm test -- server/test/start.test.ts`.
// `npm run check` is the same without the tests. `npm run test:long` runs the tests that take long and campaigns at full length, and
// leaves what `npm run check` does to `npm test`.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inModules = (path) => join(root, "node_modules", path);
const LONG_TESTS = [".long.test.ts", "contracts/test/forge.test.ts", "escrow-model.test.ts"];
const USUAL_TESTS = ["--project=shared", "--project=isolated"];
/** Several checkers each work out the types that they share: half of the work is theirs twice. The next run checks what changed. */
const TYPE_CHECK = ["--singleThreaded", "--incremental", "--tsBuildInfoFile", inModules(".cache/types.tsbuildinfo")];
/** The type checker is a Go program that keeps nearly all that it makes until it ends: it looks for garbage only where memory gets scarce. */
const TYPE_CHECK_MEMORY = { GOGC: "off", GOMEMLIMIT: "3GiB" };
const LONG_CAMPAIGNS = { FOUNDRY_PROFILE: "long", ESCROW_MODEL_RUNS: "100" };
const words = process.argv.slice(2);
const isLong = words[0] === "--long";
const isCheck = words[0] === "--check";
const isWhole = words.length === 0;
const vitestWords = isLong ? LONG_TESTS : isWhole ? USUAL_TESTS : words;
// All temporary files of this run are in one folder, which its processes know, so that a test's leftovers are found by name.
const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-test-run-"));
chmodSync(folder, 0o711); // passable: some tests start programs as another user
const temporary = join(folder, "tmp");
mkdirSync(temporary);
chmodSync(temporary, 0o1777);
const report = join(folder, "vitest.json");

let interrupted = false;
const running = new Set();
// A signal to the group reaches the step too, so it may come twice there; vitest stops what its set-up started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill(signal);
  });
}

/** Parallel steps show their output at their end; the tests show theirs as they run. */
const run = async ([name, program, options, settings = {}], { shown }) => {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, ...options], {
    cwd: root,
    env: {
      ...process.env,
      ...settings,
      TMPDIR: temporary,
      ...(isWhole || isLong ? { TEST_WHOLE_SUITE: "1" } : {}),
      ...(isLong ? LONG_CAMPAIGNS : {}),
    },
    stdio: shown ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (said += text));
  const code = await new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  running.delete(child);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const passed = code === 0;
  const text = `${said}${name}: ${passed ? "passed" : "failed"} in ${seconds} s\n`;
  process.stdout.write(text);
  return { passed, text };
};

/** How many tests passed and failed; a file that could not even be loaded counts as one failure. */
const countTests = () => {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const brokenFiles = testResults.filter(
      ({ status, assertionResults }) =>
        status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
    );
    return { passed: numPassedTests, failed: numFailedTests + brokenFiles.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
};

const readProcessFile = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
};
/** Processes of this run: its folder stands in their command line or environment. */
const findLeftovers = () => {
  if (process.platform !== "linux") {
    const table = execFileSync("ps", ["-axo", "pid=,command="], { encoding: "utf8" });
    const lines = table.split("\n").filter((line) => line.includes(temporary));
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }));
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: readProcessFile(name, "cmdline").replaceAll("\0", " ") }))
    .filter(({ pid, command }) => `${command}${readProcessFile(pid, "environ")}`.includes(temporary));
};
/** Time to end for what is about to: a machine whose disk stands still needs some. Without leftovers nobody waits. */
const LEFTOVER_GRACE_MS = 60_000;

/** Ends what the tests left running and says what it was: a test that leaves something behind is a failure. */
const endLeftovers = async () => {
  const deadline = performance.now() + (interrupted ? 0 : LEFTOVER_GRACE_MS);
  while (findLeftovers().length > 0 && performance.now() < deadline) await delay(100);
  const found = findLeftovers();
  for (let left = found; left.length > 0; left = findLeftovers()) {
    for (const { pid } of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Ended by itself.
      }
    }
    await delay(50);
  }
  return found.map(({ command }) => command.slice(0, 150));
};

const steps = [
  ["types", inModules("typescript/bin/tsc"), ["-p", ".", "--noEmit", ...TYPE_CHECK], TYPE_CHECK_MEMORY],
  ["types of the dashboard", inModules("typescript/bin/tsc"), ["-p", "dashboard", "--noEmit"]],
  ["lint", inModules("@biomejs/biome/bin/biome"), ["check"]],
  ["structure", join(root, "scripts/check-structure.ts"), []],
  ["unused code", inModules("knip/bin/knip.js"), ["--no-progress"]],
  ["generated files", join(root, "server/src/commands/gen.ts"), ["--check"]],
];
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const tests = ["tests", inModules("vitest/vitest.mjs"), ["run", "--configLoader=native", ...reporters, ...vitestWords]];
// Each computes on one core and waits for the disk, as the tests do while they begin.
const [checks, testing] = await Promise.all([
  Promise.all(isLong ? [] : steps.map((step) => run(step, { shown: false }))),
  isCheck ? undefined : run(tests, { shown: true }),
]);
const failedSteps = checks.filter((step) => !step.passed);
// Once more where they are read: many lines of tests came after them.
if (testing !== undefined) for (const { text } of failedSteps) process.stdout.write(text);
const testsPassed = !interrupted && (testing?.passed ?? true);
const { passed, failed } = countTests();
// A run that failed without a failed test: an error outside of tests, or vitest itself.
const failedOutsideTests = !testsPassed && failed === 0 ? 1 : 0;
const leftovers = await endLeftovers();
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
if (!interrupted) for (const command of leftovers) process.stdout.write(`left running by a test: ${command}\n`);
const failedClean = !interrupted && leftovers.length > 0 ? 1 : 0;
const failures = failedSteps.length + failed + failedOutsideTests + failedClean;
process.stdout.write(
  isCheck
    ? `${checks.length - failedSteps.length} checks passed, ${failures} failed\n`
    : `${passed} passed, ${failures} failed\n`,
);
process.exitCode = interrupted ? 130 : Math.min(failures, 1);
