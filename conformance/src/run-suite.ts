import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Suite } from "./suites.ts";

const SUITE_LIMIT_MILLISECONDS = 400_000;

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));
const Package = z.object({ version: z.string(), bin: z.object({ conformance: z.string() }) });

export interface SuiteResult {
  version: string;
  /** The exit code of the suite's process; undefined if it had to be killed. */
  exitCode: number | undefined;
  passed: readonly string[];
  /** Neither passed nor failed: the scenario found nothing to judge. */
  empty: readonly string[];
  expected: readonly string[];
  unexpected: readonly { scenario: string; message: string }[];
  /** Listed as failing although they pass. */
  stale: readonly string[];
}

/** True when the suite is content, and fails and passes exactly what it is known to. */
export function isConformant({ exitCode, passed, unexpected, stale }: SuiteResult): boolean {
  return exitCode === 0 && passed.length > 0 && unexpected.length === 0 && stale.length === 0;
}

/** Runs a suite against one endpoint; everything that it says stays in `folder`. */
export async function runSuite(
  suite: Suite,
  options: { url: string; folder: string; signal: AbortSignal },
): Promise<SuiteResult> {
  const { url, folder, signal } = options;
  const manifestPath = findPackageJSON(suite.package, import.meta.url);
  if (manifestPath === undefined) throw new Error(`${suite.package} is not installed; npm install brings it.`);
  const { version, bin } = Package.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
  const program = join(dirname(manifestPath), bin.conformance);
  mkdirSync(folder, { recursive: true });
  const results = join(folder, "results");
  const listed = suite.expectedFailures.map(({ scenario }) => scenario);
  const baseline = join(folder, "expected-failures.yml");
  // JSON is YAML too.
  writeFileSync(baseline, JSON.stringify({ server: listed }));
  const words = ["server", "--url", url, "-o", results, ...suite.arguments];
  if (suite.takesBaseline) words.push("--expected-failures", baseline);
  const exitCode = await runProgram(program, words, join(folder, "output.txt"), signal);
  return { version, exitCode, ...compare(readResults(results), listed) };
}

function runProgram(program: string, words: string[], logFile: string, signal: AbortSignal) {
  return new Promise<number | undefined>((resolve, reject) => {
    const output: Buffer[] = [];
    const child = spawn(process.execPath, [program, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.any([signal, AbortSignal.timeout(SUITE_LIMIT_MILLISECONDS)]),
      killSignal: "SIGKILL",
    });
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    // An abort is told here first; the end of the process follows.
    child.once("error", (error) => child.pid === undefined && reject(error));
    child.once("close", (code) => {
      writeFileSync(logFile, Buffer.concat(output));
      if (signal.aborted) reject(new Error("Interrupted."));
      else resolve(code ?? undefined);
    });
  });
}

interface ScenarioResult {
  scenario: string;
  outcome: "passed" | "failed" | "empty";
  message: string;
}

/** One folder each, named `server-<scenario>-<time>`. */
function readResults(folder: string): ScenarioResult[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
    const file = join(folder, name, "checks.json");
    // A scenario that broke off leaves its folder empty.
    if (!existsSync(file)) return { scenario, outcome: "failed", message: "It broke off." };
    const checks = Checks.parse(JSON.parse(readFileSync(file, "utf8")));
    // The suite counts a warning against a baseline like a failure.
    const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    if (bad.length > 0) {
      const message = bad.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? "no message"}`).join("; ");
      return { scenario, outcome: "failed", message };
    }
    const outcome = checks.some(({ status }) => status === "SUCCESS") ? "passed" : "empty";
    return { scenario, outcome, message: "" };
  });
}

function compare(results: readonly ScenarioResult[], listed: readonly string[]) {
  const named = (outcome: ScenarioResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).map(({ scenario }) => scenario);
  const failed = named("failed");
  return {
    passed: named("passed"),
    empty: named("empty"),
    expected: failed.filter((scenario) => listed.includes(scenario)),
    unexpected: results.filter(({ scenario, outcome }) => outcome === "failed" && !listed.includes(scenario)),
    stale: listed.filter((scenario) => !failed.includes(scenario)),
  };
}
