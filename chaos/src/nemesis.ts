import { setTimeout as delay } from "node:timers/promises";
import type { AreaRun } from "./area.ts";
import { type Deployment, SERVICE } from "./deployment.ts";
import type { History } from "./history.ts";
import type { Random } from "./random.ts";

/** Counts what was really killed, by part. */
export type Kills = Map<string, number>;

export interface Move {
  name: string;
  /** Parts to kill, each group at one moment, with a separate pause between groups. */
  groups: readonly (readonly string[])[];
  /** Set: the service dies by itself at a notification about this topic, before its work, and nothing else is killed. */
  notifiedOf?: string;
}

interface NemesisOptions {
  deployment: Deployment;
  history: History;
  moves: readonly Move[];
  kills: Kills;
  random: Random;
  run: Pick<AreaRun, "disturb" | "nextMoment" | "witness">;
  /** How often a process died between a notification and its work, by topic. */
  notified: Kills;
  /** Before each move; true: enough was seen. */
  isOver(): Promise<boolean>;
  signal: AbortSignal;
}

const CHANCE_OF_A_KILL_AT_AN_ANSWER = 0.5;
/** For other moments that the area knows. */
const CHANCE_OF_A_KILL_AT_A_MOMENT = 0.75;
const CHANCE_OF_A_KILL_WHILE_STARTING = 0.25;
const NOTIFIED_WITHIN_MILLISECONDS = 15_000;

/**
 * Makes its moves in an order and at moments that the seed decides. Half of the kills fall on the heels of an answer, others at a
 * moment that the area looks out for, some into the start after the one before.
 */
export async function rage(options: NemesisOptions): Promise<void> {
  const { deployment, history, kills, random, run, signal } = options;
  for (const move of random.shuffle(options.moves)) {
    if (await options.isOver()) break;
    await run.disturb(random).catch(() => undefined);
    await delay(random.between(300, 1_500), undefined, { signal });
    if (move.notifiedOf !== undefined) await dieWhenNotified(options, move.notifiedOf);
    const atAnAnswer = random.chance(CHANCE_OF_A_KILL_AT_AN_ANSWER);
    const atAMoment = !atAnAnswer && random.chance(CHANCE_OF_A_KILL_AT_A_MOMENT);
    for (const [index, group] of move.groups.entries()) {
      const aimed = group.map((part) => ({ part, kill: deployment.aim(part) }));
      if (index > 0) await delay(random.between(100, 300), undefined, { signal });
      else if (atAnAnswer) await nextAnswer(history, signal);
      else if (atAMoment) await run.nextMoment?.(random, signal);
      for (const { part, kill } of aimed) {
        if (kill()) kills.set(part, (kills.get(part) ?? 0) + 1);
      }
      await run.witness?.().catch(() => undefined);
    }
    signal.throwIfAborted();
    if (!random.chance(CHANCE_OF_A_KILL_WHILE_STARTING)) await deployment.untilReady(signal);
  }
  await deployment.untilReady(signal);
}

async function dieWhenNotified(
  { deployment, kills, notified, run, signal }: NemesisOptions,
  topic: string,
): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(NOTIFIED_WITHIN_MILLISECONDS)]);
  for (const name of await deployment.dieWhenNotified(topic, patience)) {
    kills.set(name, (kills.get(name) ?? 0) + 1);
    notified.set(topic, (notified.get(topic) ?? 0) + 1);
  }
  await run.witness?.().catch(() => undefined);
}

/** Or a second, when nothing is answered. */
async function nextAnswer(history: History, signal: AbortSignal): Promise<void> {
  await history.nextAcknowledgement(AbortSignal.any([signal, AbortSignal.timeout(1_000)])).catch(() => undefined);
}

/**
 * Every part once, all at once, the first and then the service while that waits for it, and the service at a notification about each
 * topic.
 */
export function listMoves(parts: readonly string[], topics: readonly string[] = []): Move[] {
  const alone = [SERVICE, ...parts].map((part): Move => ({ name: part, groups: [[part]] }));
  const together = parts.length === 0 ? [] : [{ name: "all", groups: [[...parts, SERVICE]] }];
  const oneAfterTheOther = parts.slice(0, 1).map((first): Move => ({ name: "wake", groups: [[first], [SERVICE]] }));
  const notified = topics.map((topic): Move => ({ name: `notified of ${topic}`, groups: [], notifiedOf: topic }));
  return [...alone, ...together, ...oneAfterTheOther, ...notified];
}
