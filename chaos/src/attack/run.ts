import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses } from "../processes.ts";
import type { Attack } from "./attack.ts";
import { HonestClients } from "./honest.ts";
import { describeControl, describeOutcome } from "./report.ts";
import { type Attacked, runAttack } from "./run-attack.ts";
import { type Host, Target } from "./target.ts";

interface RunOptions {
  attacks: readonly Attack[];
  /** Counts, measures no time, and leaves out what takes long. */
  brief: boolean;
  /** For the service, beside the harness's own. */
  environment: Readonly<Record<string, string>>;
  say(line: string): void;
  /** Ends the run and everything that it started. */
  signal: AbortSignal;
}

/** Limits of keys are no matter of these attacks; other ones are lower, so that short floods reach them. */
const ENVIRONMENT = {
  RATE_LIMIT_PER_SECOND: "100000",
  RATE_LIMIT_BURST: "100000",
  REFUSED_KEYS_PER_MINUTE: "20",
  UNPAID_PER_MINUTE: "40",
  UNSETTLED_PER_PAYER_MINUTE: "20",
  CLAIMS_PER_MINUTE: "20",
  // So that each attack has an address, and limits, of its own.
  TRUSTED_PROXIES: "127.0.0.1",
};

/** True: every bound is met, and each is passed where the guard is missing. */
export async function runAttacks(options: RunOptions): Promise<boolean> {
  const { brief, say, signal } = options;
  const attacks = options.attacks.filter(({ takesLong }) => !(brief && takesLong === true));
  const dataDir = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-attack-"));
  const environment = { ...ENVIRONMENT, ...options.environment };
  async function withTarget<Result>(
    without: readonly string[],
    work: (attacked: Attacked) => Promise<Result>,
  ): Promise<Result> {
    const target = await Target.start({ dataDir, without, environment, signal });
    const clients = new HonestClients(target, brief);
    try {
      return await Promise.race([work({ target, clients }), untilInterrupted(signal)]);
    } finally {
      await clients.stop();
      await target.stop();
    }
  }
  try {
    return await withTarget([], async (attacked) => {
      say("With all guards: every bound must be met.");
      const isMet = await attackWithGuards(attacked, attacks, options);
      return (await attackWithout(withTarget, attacks, options)) && isMet;
    });
  } finally {
    await endProcesses(dataDir);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function untilInterrupted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw new Error("Interrupted.");
}

async function attackWithGuards(attacked: Attacked, attacks: readonly Attack[], { brief, say }: RunOptions) {
  let isMet = true;
  for (const attack of attacks) {
    for (const host of brief ? hostInTurn(attack, attacks) : attack.hosts) {
      const outcome = await runAttack(attacked, attack, host, !brief);
      if (outcome.problems.length > 0) isMet = false;
      for (const line of describeOutcome(outcome)) say(line);
    }
  }
  return isMet;
}

/** A service without all guards at once when it has to be quick; else without one at a time. */
async function attackWithout(
  withTarget: <Result>(without: readonly string[], work: (attacked: Attacked) => Promise<Result>) => Promise<Result>,
  attacks: readonly Attack[],
  { brief, say }: RunOptions,
) {
  const guards = [...new Set(attacks.map(({ guard }) => guard))];
  let isPassed = true;
  for (const without of brief ? [guards] : guards.map((guard) => [guard])) {
    say(`Without ${without.join(", ")}: a bound must be passed.`);
    await withTarget(without, async (attacked) => {
      for (const attack of attacks.filter(({ guard }) => without.includes(guard))) {
        for (const host of hostInTurn(attack, attacks)) {
          const outcome = await runAttack(attacked, attack, host, false);
          if (outcome.problems.length === 0) isPassed = false;
          say(describeControl(outcome));
        }
      }
    });
  }
  return isPassed;
}

/** One of its hosts: both kinds have their turn. */
function hostInTurn(attack: Attack, attacks: readonly Attack[]): readonly Host[] {
  const host = attack.hosts[attacks.indexOf(attack) % attack.hosts.length];
  return host === undefined ? [] : [host];
}
