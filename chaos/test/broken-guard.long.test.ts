import { expect, it } from "vitest";
import { chaosRunner } from "./support/run-chaos.ts";

/** Only there to end a run that hangs: it takes a minute, and several on a slow machine. */
const LONG = 1_200_000;

const startChaos = chaosRunner();

/** `npm run chaos` takes the other guards away. */
it(
  "without the guard idempotency a run fails",
  async () => {
    // It stops as soon as it has failed; the rounds are there for a machine on which that takes long.
    const options = ["--area", "calls", "--rounds", "30", "--seed", "wayfare", "--break", "idempotency"];
    const run = await startChaos(...options).ended;
    expect(run.out).toMatch(/^FAILED {2}no usage record is there twice/m);
    expect(run).toMatchObject({ code: 1, error: "", left: [] });
  },
  LONG,
);
