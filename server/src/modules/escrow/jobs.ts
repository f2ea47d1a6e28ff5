import { isSameChain, nameChain } from "../../kernel/contracts/by-chain.ts";
import { defineJob, type Job } from "../../kernel/contracts/job.ts";
import type { Parts } from "./context.ts";
import { releaseTrips } from "./expiry/release-trips.ts";
import { payAllUncovered } from "./orders/pay-uncovered.ts";

const RELEASE_MILLISECONDS = 60_000;

export function escrowJobs({
  chains,
  submitters,
  stores,
  clock,
  log,
}: Pick<Parts, "chains" | "submitters" | "stores" | "clock" | "log">): readonly Job[] {
  return chains.keys.flatMap((key) => {
    const { environment } = key;
    const name = nameChain(chains, key);
    const releasing = defineJob({
      name: `release-trips ${name}`,
      everyMilliseconds: RELEASE_MILLISECONDS,
      async run() {
        const chain = chains.at(key)?.chain;
        const submission = submitters.at(key);
        if (chain !== undefined && submission !== undefined)
          await releaseTrips({ stores, chain, submission, clock, log });
      },
    });
    // Orders are paid from the wallet on the home chain.
    const home = chains.home(environment)?.chain.key;
    if (home === undefined || !isSameChain(home, key)) return [releasing];
    const pay = () => payAllUncovered(stores, environment);
    return [
      releasing,
      defineJob({ name: `pay-uncovered ${environment}`, everyMilliseconds: RELEASE_MILLISECONDS, run: pay }),
    ];
  });
}
