// Breaks one guard of the contracts between chains, and of signed calls, after another, and expects a test to notice each:
//   node contracts/scripts/mutants.ts
// The groups share no file and no test, so that one compilation tries one guard of each. It takes about ten minutes.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { findFoundryBinary } from "../test/support/foundry-binary.ts";
import { guardGroups } from "./guards.ts";
import { repository } from "./solc.ts";

const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;
const FOLDERS = ["contracts", "foundry.toml", "node_modules/@openzeppelin/contracts"];
const Report = z.record(z.string(), z.object({ test_results: z.record(z.string(), z.object({ status: z.string() })) }));

interface Guard {
  file: string;
  original: string;
  broken: string;
}

type FailedTests = readonly { suite: string; test: string }[];

function breakGuard(project: string, { file, original, broken }: Guard): void {
  const path = join(project, "contracts/src", file);
  const text = readFileSync(path, "utf8");
  if (text.split(original).length !== 2) throw new Error(`${file} does not have once: ${original}`);
  writeFileSync(
    path,
    text.replace(original, () => broken),
  );
}

function restoreGuard(project: string, { file }: Guard): void {
  cpSync(join(repository, "contracts/src", file), join(project, "contracts/src", file));
}

async function findFailedTests(project: string, suites: readonly string[]): Promise<FailedTests> {
  const program = findFoundryBinary("forge", "package.json");
  if (program === undefined) throw new Error(`there is no forge for ${process.platform} ${process.arch}`);
  const pattern = `contracts/test/{${suites.join(",")}}*`;
  const { stdout } = await promisify(execFile)(program, ["test", "--json", "--match-path", pattern], {
    cwd: project,
    maxBuffer: LARGEST_OUTPUT_BYTES,
    env: {
      PATH: process.env.PATH,
      HOME: project,
      TMPDIR: tmpdir(),
      // A broken contract may have something unused.
      FOUNDRY_DENY: "never",
      FOUNDRY_SOLC: join(repository, "contracts/scripts/solc"),
      // A failure that one run keeps would be tried first by the next.
      FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: mkdtempSync(join(project, "failures-")),
      FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: mkdtempSync(join(project, "failures-")),
    },
  }).catch((error: { stdout?: string; stderr?: string }) => {
    if (error.stdout?.startsWith("{")) return { stdout: error.stdout };
    throw new Error(`forge failed:\n${error.stderr ?? ""}${error.stdout ?? ""}`, { cause: error });
  });
  return Object.entries(Report.parse(JSON.parse(stdout))).flatMap(([suite, { test_results }]) =>
    Object.entries(test_results)
      .filter(([, { status }]) => status !== "Success")
      .map(([test]) => ({ suite: basename(suite), test })),
  );
}

async function tryGuards(project: string): Promise<number> {
  const groups = guardGroups.map(({ suites, guards }) => ({
    suites,
    guards: Object.entries(guards).flatMap(([file, texts]) =>
      Object.entries(texts).map(([original, broken]): Guard => ({ file, original, broken })),
    ),
  }));
  const unbroken = await findFailedTests(
    project,
    groups.flatMap(({ suites }) => suites),
  );
  if (unbroken.length > 0) throw new Error(`tests fail already: ${JSON.stringify(unbroken)}`);
  let unnoticed = 0;
  for (let round = 0; round < Math.max(...groups.map(({ guards }) => guards.length)); round += 1) {
    const tried = groups.flatMap(({ suites, guards }) =>
      guards.slice(round, round + 1).map((guard) => ({ suites, guard })),
    );
    for (const { guard } of tried) breakGuard(project, guard);
    const failed = await findFailedTests(
      project,
      tried.flatMap(({ suites }) => suites),
    );
    for (const { suites, guard } of tried) {
      restoreGuard(project, guard);
      const names = suites.map((suite) => basename(suite));
      const [first, ...rest] = failed.filter(({ suite }) => names.some((name) => suite.startsWith(name)));
      if (first === undefined) unnoticed += 1;
      const verdict = first === undefined ? "NOT NOTICED" : `noticed by ${first.test} and ${rest.length} more`;
      process.stdout.write(`${guard.file}: ${guard.original.trim()} → ${guard.broken.trim()}: ${verdict}\n`);
    }
  }
  return unnoticed;
}

const project = mkdtempSync(join(tmpdir(), "wayfare-mutants-"));
try {
  for (const name of FOLDERS) {
    mkdirSync(join(project, name, ".."), { recursive: true });
    cpSync(join(repository, name), join(project, name), { recursive: true });
  }
  const unnoticed = await tryGuards(project);
  process.stdout.write(`${unnoticed} not noticed\n`);
  process.exitCode = unnoticed === 0 ? 0 : 1;
} finally {
  rmSync(project, { recursive: true, force: true });
}
