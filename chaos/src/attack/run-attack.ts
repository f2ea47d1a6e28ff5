import { setTimeout as delay } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { type HonestClients, type HonestWork, workEqually } from "./honest.ts";
import { outsideCalls, type Reading } from "./reading.ts";
import type { Host, Target } from "./target.ts";

/** How one attack on one host went. */
export interface Outcome {
  attack: Attack;
  host: Host;
  calls: number;
  reading: Reading;
  honest: HonestWork;
  /** Beside as many honest calls. Undefined: times were not measured. */
  equalLoad: HonestWork | undefined;
  /** Bounds that were passed. */
  problems: readonly string[];
}

const HONEST_CALLS_BRIEF = 3;
const HONEST_CALLS = 300;
const CALLS_OF_A_MOMENT = 20;
const SHORTEST_MILLISECONDS = 4_000;
/**
 * The allowed effect of an attack on the 99th percentile of the service's work, compared with an equal honest load:
 * twice that, plus this amount.
 */
const MORE_MILLISECONDS = 50;
/** The key of honest clients is read again now and then, and the more often the longer it lasts. */
const HONEST_LOOK_UPS = 10;
const LOOK_UP_EVERY_MILLISECONDS = 5_000;
const SETTLE_POLL_MILLISECONDS = 10;
const SETTLE_LIMIT_MILLISECONDS = 10_000;

export interface Attacked {
  target: Target;
  /** At work. */
  clients: HonestClients;
}

/** Attacks while honest clients work, and holds what was counted against the attack's bounds. */
export async function runAttack(
  { target, clients }: Attacked,
  attack: Attack,
  host: Host,
  measuresTime: boolean,
): Promise<Outcome> {
  const honestCalls = measuresTime ? HONEST_CALLS : HONEST_CALLS_BRIEF;
  await clients.take(honestCalls);
  await target.reset();
  // It collects garbage, for which nobody but the harness made the calls of that moment wait.
  if (measuresTime) await clients.take(CALLS_OF_A_MOMENT);
  const begun = performance.now();
  const held = await attack.begin(target, host);
  if (measuresTime) await delay(Math.max(0, begun + SHORTEST_MILLISECONDS - performance.now()));
  const honest = await clients.take(honestCalls);
  const milliseconds = performance.now() - begun;
  const reading = attack.bounds.memoryAt === "held" ? await target.collect() : await target.read();
  await held.end();
  await isQuiet(target);
  const equalLoad = measuresTime ? await besideEqualLoad(target, clients, held.calls, milliseconds) : undefined;
  const found = { attack, host, calls: held.calls, reading, honest, equalLoad };
  const lookUps = HONEST_LOOK_UPS + milliseconds / LOOK_UP_EVERY_MILLISECONDS;
  return { ...found, problems: [...held.problems, ...passedBounds(found, lookUps)] };
}

async function besideEqualLoad(
  target: Target,
  clients: HonestClients,
  calls: number,
  milliseconds: number,
): Promise<HonestWork> {
  await clients.take(CALLS_OF_A_MOMENT);
  await workEqually(target, calls, milliseconds);
  return await clients.take(HONEST_CALLS);
}

/** The attacker's leftovers are gone, except for honest calls in progress. */
async function isQuiet(target: Target): Promise<void> {
  const deadline = performance.now() + SETTLE_LIMIT_MILLISECONDS;
  while ((await target.read()).waitingRequests > 10 && performance.now() < deadline) {
    await delay(SETTLE_POLL_MILLISECONDS);
  }
}

function passedBounds(found: Omit<Outcome, "problems">, honestLookUps: number): string[] {
  const { attack, calls, reading, honest, equalLoad } = found;
  const { bounds } = attack;
  const problems: string[] = [];
  const hold = (what: string, value: number, bound: number): void => {
    if (value > bound) problems.push(`${what}: ${shorten(value)} is more than ${shorten(bound)}`);
  };
  hold("memory in MB", pickMemory(attack, reading), bounds.memoryMegabytes);
  hold("waiting requests", reading.mostWaitingRequests, bounds.waitingRequests);
  for (const name of outsideCalls) {
    const own = Math.max(0, (reading.calls[name] ?? 0) - (name === "keyLookUps" ? honestLookUps : 0));
    hold(`${name} for each call`, own / calls, bounds.outsideCalls?.[name] ?? 0);
  }
  hold("refused honest calls", honest.refused.length, 0);
  if (equalLoad !== undefined) {
    const bound = 2 * equalLoad.p99WorkedMilliseconds + MORE_MILLISECONDS;
    hold("work of the service while an honest call waits, p99 in ms", honest.p99WorkedMilliseconds, bound);
  }
  return problems;
}

export const pickMemory = ({ bounds }: Attack, reading: Reading): number =>
  bounds.memoryAt === "held" ? reading.heldMegabytes : reading.grownMegabytes;

export const shorten = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2));
