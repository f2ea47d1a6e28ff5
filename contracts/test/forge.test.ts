import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { generatedFolder, PUBLISHED } from "../scripts/compile.ts";
import { repository } from "../scripts/solc.ts";
import { findFoundryBinary } from "./support/foundry-binary.ts";

const LEAST_SHARE = 0.7;
const LEAST_CALLS = 20;
/** The long campaigns take minutes. */
const FORGE_TIMEOUT_MILLISECONDS = 3_600_000;
const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;
const GAS_SUITES = "contracts/test/Gas.t.sol:";

const Metrics = z.object({ calls: z.number(), reverts: z.number(), discards: z.number() });
const Result = z.object({
  status: z.enum(["Success", "Failure", "Skipped"]),
  reason: z.string().nullable(),
  counterexample: z.unknown(),
  kind: z.union([
    z.object({ Invariant: z.object({ metrics: z.record(z.string(), Metrics) }) }),
    z.object({ Unit: z.object({ gas: z.number() }) }),
    z.record(z.string(), z.unknown()),
  ]),
});
const Artifact = z.object({ abi: z.array(z.unknown()), bytecode: z.object({ object: z.string() }) });
const Report = z.record(z.string(), z.object({ test_results: z.record(z.string(), Result) }));

/** Everything that forge writes goes to a temporary folder, and settings of the user's own forge are out of its sight. */
async function runForge(folder: string): Promise<z.infer<typeof Report>> {
  const program = findFoundryBinary("forge", "package.json");
  if (program === undefined) throw new Error(`there is no forge for ${process.platform} ${process.arch}`);
  const { stdout } = await promisify(execFile)(program, ["test", "--json", "--root", repository], {
    // The paths in foundry.toml are from there.
    cwd: repository,
    timeout: FORGE_TIMEOUT_MILLISECONDS,
    killSignal: "SIGKILL",
    maxBuffer: LARGEST_OUTPUT_BYTES,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      // "long" by `npm run test:long`.
      FOUNDRY_PROFILE: process.env.FOUNDRY_PROFILE ?? "default",
      FOUNDRY_OUT: join(folder, "out"),
      FOUNDRY_CACHE_PATH: join(folder, "cache"),
      FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: join(folder, "failures"),
      FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: join(folder, "failures"),
    },
  }).catch((error: { stdout?: string; stderr?: string }) => {
    // Failed tests are told from the report; without one, forge could not even compile.
    if (error.stdout?.startsWith("{")) return { stdout: error.stdout };
    throw new Error(`forge failed:\n${error.stderr ?? ""}${error.stdout ?? ""}`, { cause: error });
  });
  return Report.parse(JSON.parse(stdout));
}

/** Calls of each handler function, over all campaigns of all suites. */
function sumMetrics(report: z.infer<typeof Report>): Map<string, z.infer<typeof Metrics>> {
  const sums = new Map<string, z.infer<typeof Metrics>>();
  for (const { test_results } of Object.values(report)) {
    for (const { kind } of Object.values(test_results)) {
      const campaign = z.object({ Invariant: z.object({ metrics: z.record(z.string(), Metrics) }) }).safeParse(kind);
      for (const [name, metrics] of Object.entries(campaign.data?.Invariant.metrics ?? {})) {
        const method = name.slice(name.lastIndexOf(":") + 1);
        const sum = sums.get(method) ?? { calls: 0, reverts: 0, discards: 0 };
        sums.set(method, {
          calls: sum.calls + metrics.calls,
          reverts: sum.reverts + metrics.reverts,
          discards: sum.discards + metrics.discards,
        });
      }
    }
  }
  return sums;
}

/** The cost of the steps in Gas.t.sol, in the format of `forge snapshot`. */
function gasLines(report: z.infer<typeof Report>): string[] {
  return Object.entries(report)
    .filter(([suite]) => suite.startsWith(GAS_SUITES))
    .flatMap(([suite, { test_results }]) =>
      Object.entries(test_results).map(([test, { kind }]) => {
        const { gas } = z.object({ Unit: z.object({ gas: z.number() }) }).parse(kind).Unit;
        return `${suite.slice(suite.lastIndexOf(":") + 1)}:${test} (gas: ${gas})`;
      }),
    )
    .sort();
}

/** The same, however its members are ordered. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, sortKeys(member)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

describe("the contracts under forge", () => {
  let folder = "";
  let report: z.infer<typeof Report> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "wayfare-forge-"));
    report = await runForge(folder);
  }, FORGE_TIMEOUT_MILLISECONDS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("pass every unit, fuzz and invariant test", () => {
    const results = Object.entries(report).flatMap(([suite, { test_results }]) =>
      Object.entries(test_results).map(([test, result]) => ({ test: `${suite} ${test}`, ...result })),
    );
    process.stdout.write(`forge: ${results.length} tests in ${Object.keys(report).length} suites\n`);
    expect(results.filter(({ status }) => status !== "Success")).toEqual([]);
    expect(Object.keys(report).length).toBeGreaterThanOrEqual(10);
  });

  it("are called by handlers of which at least 70 % of the calls succeed, in each of their functions", () => {
    const metrics = [...sumMetrics(report)];
    const acting = metrics.filter(([method]) => !method.includes(".attempt"));
    const calls = acting.reduce((sum, [, each]) => sum + each.calls, 0);
    const succeeded = acting.reduce((sum, [, each]) => sum + each.calls - each.reverts - each.discards, 0);
    process.stdout.write(`invariants: ${succeeded} of ${calls} handler calls succeeded\n`);
    expect(acting.length).toBeGreaterThan(10);
    const poor = acting.filter(([, each]) => (each.calls - each.reverts - each.discards) / each.calls < LEAST_SHARE);
    expect(poor).toEqual([]);
  });

  it("are really asked for what must not happen", () => {
    const attempts = [...sumMetrics(report)].filter(([method]) => method.includes(".attempt"));
    expect(attempts.length).toBeGreaterThanOrEqual(4);
    // An attempt that reverts has not looked at its outcome; one that was discarded was not made.
    const idle = attempts.filter(([, each]) => each.reverts > 0 || each.calls - each.discards < LEAST_CALLS);
    expect(idle).toEqual([]);
  });

  it("are those whose bindings are committed", () => {
    // Their text, letter by letter, is compared by artifacts.long.test.ts, which compiles once more.
    const sorted = (abi: readonly unknown[]) => abi.map((entry) => JSON.stringify(sortKeys(entry))).sort();
    for (const [name, { source, contract }] of Object.entries(PUBLISHED)) {
      const text = readFileSync(join(generatedFolder, `${name}.ts`), "utf8");
      const [, abi = "", bytecode] = /Abi = (\[.*?\]) as const;.*Bytecode = "(0x[0-9a-f]+)"/s.exec(text) ?? [];
      const path = join(folder, "out", basename(source), `${contract}.json`);
      const compiled = Artifact.parse(JSON.parse(readFileSync(path, "utf8")));
      // If not: node contracts/scripts/compile.ts
      expect(bytecode, name).toBe(compiled.bytecode.object);
      expect(sorted(JSON.parse(abi)), name).toEqual(sorted(compiled.abi));
    }
  });

  it("cost the gas that the committed snapshot says", () => {
    const snapshot = readFileSync(join(repository, "contracts/.gas-snapshot"), "utf8");
    // If not, and it is meant: forge snapshot --match-contract 'Gas$' --snap contracts/.gas-snapshot
    expect(gasLines(report)).toEqual(snapshot.trimEnd().split("\n").sort());
  });
});
