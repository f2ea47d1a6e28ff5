import type { Area, AreaRun, Finding, Scene } from "../area.ts";
import { calls } from "../calls/index.ts";
import { chain } from "../chain/index.ts";
import { createClient } from "../client.ts";
import { escrow } from "../escrow/index.ts";
import { withoutGuard } from "../guards/index.ts";
import { createHistory } from "../history.ts";
import { paid } from "../paid/index.ts";
import { servicing } from "../servicing/index.ts";

const areas: readonly Area[] = [calls, chain, servicing, escrow, paid];
/** The share of each area's usual load. */
const SHARE = 0.1;

/** Every area's calls on one service, with one set of kills. */
async function open({ deployment, history: whole }: Scene): Promise<AreaRun> {
  const runs: AreaRun[] = [];
  for (const area of areas) {
    const history = createHistory(whole);
    const client = createClient({ ...deployment.quickstart(), history });
    runs.push(await area.open({ deployment, client, history, share: SHARE }));
  }
  const covered = () => runs.flatMap((run) => [...(run.covered?.() ?? [])]);
  let storms: { run: AreaRun; ending: AbortController }[] = [];
  return {
    async storm(round, random, signal) {
      storms = runs.map((run) => ({ run, ending: new AbortController() }));
      await Promise.all(
        storms.map(({ run, ending }, index) =>
          run.storm(round, random.fork(`area-${index}`), AbortSignal.any([signal, ending.signal])),
        ),
      );
    },
    endCovered() {
      for (const { run, ending } of storms) if ((run.covered?.().values() ?? []).every(Boolean)) ending.abort();
    },
    async disturb(random) {
      await random.shuffle(runs)[0]?.disturb(random);
    },
    async nextMoment(random, signal) {
      const looking = runs.filter(({ nextMoment }) => nextMoment !== undefined);
      await random.shuffle(looking)[0]?.nextMoment?.(random, signal);
    },
    async witness() {
      for (const run of runs) await run.witness?.();
    },
    notes: () => runs.flatMap((run) => run.notes?.() ?? []),
    covered: () =>
      new Map([...new Set(covered().map(([what]) => what))].map((what) => [what, isCovered(covered(), what)])),
    async openMatters() {
      const left: string[] = [];
      for (const run of runs) left.push(...(await run.openMatters()));
      return [...new Set(left)];
    },
    async askAgain(random, signal) {
      for (const run of runs) await run.askAgain(random, signal);
    },
    async audit(phase) {
      const findings: Finding[] = [];
      for (const run of runs) findings.push(...(await run.audit(phase)));
      const shown = findings.filter(
        ({ onlyAlone, checked, problems }) => !onlyAlone && (checked > 0 || problems.length > 0),
      );
      // Several areas check the whole service, so equal findings are merged.
      return [...new Map(shown.map((finding) => [JSON.stringify(finding), finding])).values()];
    },
  };
}

/** For every area that asks for it. */
function isCovered(covered: readonly (readonly [string, boolean])[], what: string): boolean {
  return covered.every(([name, isSeen]) => name !== what || isSeen);
}

export const mixed: Area = {
  name: "mixed",
  summary: "A little of every area at once; sums over everything are left to the areas' own runs.",
  parts: ["postgres", "supplier", "devnet"],
  guards: Object.keys(withoutGuard),
  environment: Object.assign({}, ...areas.map(({ environment }) => environment)),
  open,
};
