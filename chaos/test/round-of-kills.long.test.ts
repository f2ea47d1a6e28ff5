import { expect, test } from "vitest";
import { chaosRunner } from "./support/run-chaos.ts";

const startChaos = chaosRunner();

/** Only there to end what hangs: a run takes a minute, and several on a slow machine. */
const LONG = 1_200_000;

/** That the loss of a guard shows is held by the spoilt books of each area; `broken-guard.long.test.ts` takes one away. */
test(
  "a round of kills over all areas: every invariant holds, and nothing is left behind",
  async () => {
    const { code, out, error, left } = await startChaos("--area", "mixed", "--rounds", "1", "--seed", "wayfare").ended;
    expect(`${out}${error}`).toMatch(/all invariants hold \(seed wayfare\)\n$/);
    expect(code).toBe(0);
    expect(out).not.toContain("FAILED");
    // Shown by something, not by nothing: each invariant counted what it compared, and each part was killed.
    expect(out.match(/^ok .*\([1-9]\d*\)$/gm)?.length).toBeGreaterThanOrEqual(35);
    for (const part of ["service", "postgres", "supplier", "devnet"])
      expect(out).toMatch(new RegExp(`^kills .*${part} [1-9]`, "m"));
    for (const tool of ["find_airports_nearby", "book_flight", "send_tokens", "book_stay", "prefund_trip", "quote_fx"])
      expect(out).toMatch(new RegExp(`^acknowledged .*${tool} [1-9]`, "m"));
    expect(left).toEqual([]);
  },
  LONG,
);
