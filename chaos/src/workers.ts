import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "./random.ts";

const REST_MILLISECONDS = 500;

/** A worker's choices, each as often as it weighs. */
export type Works = readonly (readonly [weight: number, work: () => Promise<void>])[];

/**
 * One work after the other, as the random decisions have it, until the signal ends it. Whoever does only a share of a load rests in
 * between, and takes each work in turn: what is rare in the whole load would hardly ever come.
 */
export async function workOn(works: Works, random: Random, signal: AbortSignal, share: number): Promise<void> {
  const all = works.flatMap(([weight, work]) => Array.from({ length: weight }, () => work));
  let turns: (() => Promise<void>)[] = [];
  while (!signal.aborted) {
    if (share < 1 && turns.length === 0) turns = random.shuffle(works.map(([, work]) => work));
    const work = turns.pop() ?? all[random.between(0, all.length - 1)];
    await work?.();
    await restBeside(share, signal);
  }
}

/** For whoever does only a share of a load. */
export async function restBeside(share: number, signal: AbortSignal): Promise<void> {
  if (share < 1) await delay(REST_MILLISECONDS, undefined, { signal });
}

/** So many workers side by side, each with decisions of its own. The pauses between calls end with the round. */
export async function runWorkers(
  count: number,
  random: Random,
  signal: AbortSignal,
  start: (random: Random, index: number) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, (_, index) =>
    start(random.fork(`worker-${index}`), index).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  );
  await Promise.all(workers);
}
