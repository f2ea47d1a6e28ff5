import { formatTable } from "../../server/src/commands/command-line.ts";
import { isConformant, type SuiteResult } from "./run-suite.ts";
import type { Suite } from "./suites.ts";

export interface Run {
  suite: Suite;
  endpoint: string;
  result: SuiteResult;
}

const MESSAGE_LENGTH = 300;

/** The table, then what may fail with the reasons, then what should not have. */
export function describeRuns(runs: readonly Run[]): string {
  const header = ["revision", "suite", "endpoint", "passed", "failed", "expected", "nothing to judge", "exit code", ""];
  const rows = runs.map(({ suite, endpoint, result }) => [
    suite.name,
    result.version,
    endpoint,
    String(result.passed.length),
    String(result.unexpected.length),
    String(result.expected.length),
    String(result.empty.length),
    String(result.exitCode ?? "ended"),
    isConformant(result) ? "ok" : "FAILED",
  ]);
  return [formatTable(header, rows), ...describeExpected(runs), ...runs.flatMap(describeProblems)].join("\n");
}

function describeExpected(runs: readonly Run[]): string[] {
  return [...new Set(runs.map(({ suite }) => suite))].flatMap((suite) => {
    const seen = new Set(runs.filter((run) => run.suite === suite).flatMap(({ result }) => result.expected));
    const reasons = Map.groupBy(
      suite.expectedFailures.filter(({ scenario }) => seen.has(scenario)),
      ({ reason }) => reason,
    );
    return [...reasons].flatMap(([reason, failures]) => [
      "",
      `expected in ${suite.name}: ${failures.map(({ scenario }) => scenario).join(", ")}`,
      `  ${reason}`,
    ]);
  });
}

function describeProblems({ suite, endpoint, result }: Run): string[] {
  const { unexpected, stale } = result;
  const where = `${suite.name} ${endpoint}`;
  return [
    ...unexpected.map(({ scenario, message }) => `FAILED  ${where} ${scenario}: ${message.slice(0, MESSAGE_LENGTH)}`),
    ...stale.map((scenario) => `STALE   ${where} ${scenario}: listed as failing, but it passes or did not run`),
  ];
}
