import { expect, test } from "vitest";
import { chaosRunner } from "./support/run-chaos.ts";

const LONG = 300_000;
const startChaos = chaosRunner();
const runChaos = (...args: readonly string[]) => startChaos("--area", "paid", "--seed", "wayfare", ...args).ended;

test(
  "two rounds of kills: every invariant holds, and nothing is left behind",
  async () => {
    const { code, out, error, left } = await runChaos("--rounds", "2");
    expect(`${out}${error}`).toMatch(/all invariants hold \(seed wayfare\)\n$/);
    expect(code).toBe(0);
    expect(out).not.toContain("FAILED");
    // Shown by something, not by nothing: each invariant counted what it compared, and each part was killed.
    expect(out.match(/^ok .*\([1-9]\d*\)$/gm)?.length).toBeGreaterThanOrEqual(20);
    for (const part of ["service", "edge", "postgres", "supplier", "devnet"])
      expect(out).toMatch(new RegExp(`^kills .*${part} [1-9]`, "m"));
    for (const tool of ["search_flights", "quote_fx", "send_tokens", "book_flight"])
      expect(out).toMatch(new RegExp(`^acknowledged .*${tool} [1-9]`, "m"));
    expect(out).toMatch(/^purchases .* [1-9]\d* broadcast by their payer, [1-9]\d* sent with another body too/m);
    expect(left).toEqual([]);
  },
  LONG,
);

test(
  "without the guard paid-claim the run fails",
  async () => {
    const run = await runChaos("--rounds", "5", "--break", "paid-claim");
    expect(`${run.out}${run.error}`).toMatch(
      /^FAILED {2}(no tool ran twice for one signature|one signature gets one answer)/m,
    );
    expect(run).toMatchObject({ code: 1, error: "", left: [] });
  },
  LONG,
);
