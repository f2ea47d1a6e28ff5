// `npm test`: types, lint, then every test. Runs under the pinned Node, after scripts/install.mjs.
// Further arguments go to vitest: `npm test -- server/test/rooms.test.ts`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inModules = (path) => join(root, "node_modules", path);
const reports = mkdtempSync(join(tmpdir(), "wayfare-test-report-"));
const report = join(reports, "vitest.json");
process.once("exit", () => rmSync(reports, { recursive: true, force: true }));

let interrupted = false;
let running;
// A signal to the group reaches the step too, so it may come twice there; vitest stops what its set-up started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

const run = async (name, program, words) => {
  const begun = performance.now();
  const code = await new Promise((resolve) => {
    running = spawn(process.execPath, [inModules(program), ...words], { cwd: root, stdio: "inherit" });
    running.once("error", () => resolve(1));
    running.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  process.stdout.write(`${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s\n`);
  return code === 0;
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

const steps = [
  ["types", "typescript/bin/tsc", ["-p", ".", "--noEmit"]],
  ["lint", "@biomejs/biome/bin/biome", ["check"]],
];
let failedSteps = 0;
for (const [name, program, words] of steps) {
  if (!interrupted && !(await run(name, program, words))) failedSteps += 1;
}
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const testsPassed =
  !interrupted && (await run("tests", "vitest/vitest.mjs", ["run", ...reporters, ...process.argv.slice(2)]));
const { passed, failed } = countTests();
// A run that failed without a failed test: an error outside of tests, or vitest itself.
const failedOutsideTests = !testsPassed && failed === 0 ? 1 : 0;
const failures = failedSteps + failed + failedOutsideTests;
process.stdout.write(`${passed} passed, ${failures} failed\n`);
process.exitCode = interrupted ? 130 : failures === 0 && testsPassed ? 0 : 1;
