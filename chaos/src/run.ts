import { setTimeout as delay } from "node:timers/promises";
import type { Area, AreaRun, Finding } from "./area.ts";
import { createClient } from "./client.ts";
import { createDeployment, type Deployment, NotReadyError, SERVICE } from "./deployment.ts";
import { createHistory, type History } from "./history.ts";
import { type Kills, listMoves, type Move, rage } from "./nemesis.ts";
import { createRandom, type Random } from "./random.ts";
import { describeFindings, describeRound, describeTotals, duration } from "./report.ts";

interface ChaosOptions {
  area: Area;
  rounds: number;
  /** Set: rounds follow each other until the area has begun so many of what it is about. */
  runs: number | undefined;
  seed: string;
  /** Undefined: all guards are on. */
  broken: string | undefined;
  /** The rounds share the kills of one round. */
  brief: boolean;
  /** Keeps the folder with the database and the logs. */
  keep: boolean;
  say(line: string): void;
  signal: AbortSignal;
}

const SETTLE_LIMIT_MILLISECONDS = 300_000;
const SETTLE_POLL_MILLISECONDS = 500;
const STORM_BEFORE_MILLISECONDS = 300;
const STORM_AFTER_MILLISECONDS = 400;
/** A storm that lasts as long as the kills may be too short on a slow machine for what is rare in it. */
const COVER_LIMIT_MILLISECONDS = 180_000;
const COVER_POLL_MILLISECONDS = 100;
const NEXT_LOOK_MILLISECONDS = 500;
const LATER_LOOKS = 3;
/** In a run without a guard: many faults appear without a kill. */
const LOOKS_BEFORE_A_KILL = 4;

/** True: every invariant holds. Leaves no process behind, however it ends. */
export async function runChaos(options: ChaosOptions): Promise<boolean> {
  const { area, seed, broken, say } = options;
  const guard = broken === undefined ? "" : `, without the guard ${broken}`;
  const length = options.runs === undefined ? `${options.rounds} rounds` : `${options.runs} runs`;
  say(`chaos ${area.name}: seed ${seed}, ${length}${guard}`);
  const outside = await area.startOutside?.();
  const environment = { ...area.environment, ...outside?.environment };
  const deployment = await createDeployment({ environment, edge: area.edge, broken, keep: options.keep });
  try {
    return await runRounds(options, deployment);
  } finally {
    await deployment.destroy();
    await outside?.close();
    if (options.keep) say(`kept: ${deployment.dataDir}`);
  }
}

async function runRounds(options: ChaosOptions, deployment: Deployment): Promise<boolean> {
  const { area, seed, broken, say, signal } = options;
  const random = createRandom(seed);
  const history = createHistory();
  const kills: Kills = new Map([SERVICE, ...area.parts].map((part) => [part, 0]));
  const notified: Kills = new Map((area.notifications ?? []).map((topic) => [topic, 0]));
  await deployment.untilReady(signal);
  const client = createClient({ ...deployment.quickstart(), history });
  const run = await deployment.operating(() => area.open({ deployment, history, client, share: 1 }));

  let isDeployed = area.deploys !== true;
  for (let round = 1; progress(options, run, round - 1) < 1; round += 1) {
    const deploys = !isDeployed && progress(options, run, round) > 0.5;
    isDeployed ||= deploys;
    const before = {
      operations: history.operations,
      acknowledged: history.acknowledgements.length,
      kills: total(kills),
    };
    const started = performance.now();
    history.round = round;
    const isBack = await cameBack(
      runRound({
        ...options,
        run,
        deployment,
        history,
        kills,
        notified,
        random: random.fork(`round-${round}`),
        round,
        deploys,
      }),
    );
    const findings = isBack.length > 0 ? isBack : await run.audit("running");
    say(describeRound({ round, before, history, kills: total(kills), seconds: duration(started), findings }));
    if (findings.some(isProblem)) {
      say(`stopped after round ${round}: an invariant that must hold at any moment does not`);
      return conclude(options, { history, kills, deployment, findings, notes: run.notes?.() ?? [] });
    }
  }

  const started = performance.now();
  const tried: Finding[] = [];
  let left = await settle(deployment, run, signal);
  if (left.length === 0) {
    await run.askAgain(random.fork("ask-again"), signal);
    tried.push(...((await run.trials?.(signal)) ?? []));
    left = await settle(deployment, run, signal);
  }
  say(`settled in ${duration(started)} s${left.length === 0 ? "" : `, but not: ${left.join(", ")}`}`);
  const covered = run.covered?.();
  const seen = covered === undefined ? [] : [checkCovered(covered)];
  const shown = [...(await run.audit("settled")), ...tried, ...seen].map(unlessEmpty);
  const findings = [...shown, ...checkRun(deployment, kills, notified), await stop(deployment)];
  const holds = conclude(options, { history, kills, deployment, findings, notes: run.notes?.() ?? [] });
  if (broken !== undefined && holds) say(`The guard ${broken} is off, and nothing noticed.`);
  return holds;
}

/** After so many rounds; 1 and more: it is through. */
const progress = ({ runs, rounds }: ChaosOptions, { begun }: AreaRun, ended: number): number =>
  runs === undefined || begun === undefined ? ended / rounds : begun() / runs;

/** Nothing, or the finding that it did not. */
async function cameBack(round: Promise<void>): Promise<Finding[]> {
  try {
    await round;
    return [];
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    return [{ invariant: "the service comes back after every kill", checked: 1, problems: [error.message] }];
  }
}

function movesOfRound({ area, brief, seed, round, rounds }: Round): readonly Move[] {
  const moves = listMoves(area.parts, area.notifications);
  if (!brief) return moves;
  const dealt = createRandom(seed).fork("moves").shuffle(moves);
  return dealt.filter((_, index) => index % rounds === round - 1);
}

interface Round extends ChaosOptions {
  run: AreaRun;
  deployment: Deployment;
  history: History;
  kills: Kills;
  notified: Kills;
  random: Random;
  round: number;
  /** A later release is deployed in this round. */
  deploys: boolean;
}

async function runRound(options: Round): Promise<void> {
  const { run, deployment, history, kills, notified, random, round, signal } = options;
  const ended = new AbortController();
  const storm = run.storm(round, random.fork("storm"), AbortSignal.any([signal, ended.signal]));
  // A storm that fails by itself shows below, when it is awaited.
  storm.catch(() => undefined);
  try {
    await delay(STORM_BEFORE_MILLISECONDS, undefined, { signal });
    if (options.deploys) await deploy(options);
    await rage({
      deployment,
      history,
      kills,
      notified,
      signal,
      moves: movesOfRound(options),
      random: random.fork("nemesis"),
      run,
      // A control has shown what it must as soon as one invariant fails, whether or not anything was killed.
      isOver: async () => options.broken !== undefined && (await failsSoon(run, kills)),
    });
    await delay(STORM_AFTER_MILLISECONDS, undefined, { signal });
    if (progress(options, run, round) >= 1) await untilCovered(run, signal);
  } finally {
    ended.abort();
  }
  await storm;
}

async function deploy({ deployment, say, signal }: Round): Promise<void> {
  await deployment.deploy();
  await deployment.untilReady(signal);
  say("a later release was deployed");
}

/** Without kills, for what is asked for now and then only. */
async function untilCovered(run: AreaRun, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + COVER_LIMIT_MILLISECONDS;
  const isCovered = () => [...(run.covered?.().values() ?? [])].every(Boolean);
  while (!isCovered() && performance.now() < deadline) {
    run.endCovered?.();
    await delay(COVER_POLL_MILLISECONDS, undefined, { signal });
  }
}

function checkCovered(covered: ReadonlyMap<string, boolean>): Finding {
  const missing = [...covered].filter(([, isSeen]) => !isSeen).map(([what]) => `${what} never was`);
  return { invariant: "whatever a run is there for was answered", checked: covered.size, problems: missing };
}

/** Before the first kill it is given some time. */
async function failsSoon(run: AreaRun, kills: Kills): Promise<boolean> {
  const looks = total(kills) === 0 ? LOOKS_BEFORE_A_KILL : 1;
  for (let look = 0; look < looks; look += 1) {
    if (await failsAlready(run)) return true;
    await delay(NEXT_LOOK_MILLISECONDS);
  }
  return false;
}

/** A delayed record, as while the database was unreachable, appears in a later look. */
async function failsAlready(run: AreaRun): Promise<boolean> {
  const look = async () => (await run.audit("running").catch(() => [])).flatMap(({ problems }) => problems);
  let lasting = await look();
  for (let again = 0; again < LATER_LOOKS && lasting.length > 0; again += 1) {
    await delay(NEXT_LOOK_MILLISECONDS);
    const now = new Set(await look());
    lasting = lasting.filter((problem) => now.has(problem));
  }
  return lasting.length > 0;
}

function isProblem({ problems }: Finding): boolean {
  return problems.length > 0;
}

/** Waits until what the kills left open came to its end by itself; returns what did not. */
async function settle(deployment: Deployment, run: AreaRun, signal: AbortSignal): Promise<readonly string[]> {
  const deadline = performance.now() + SETTLE_LIMIT_MILLISECONDS;
  for (;;) {
    await deployment.untilReady(signal);
    const left = await run.openMatters().catch((error: unknown) => [String(error)]);
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(SETTLE_POLL_MILLISECONDS, undefined, { signal });
  }
}

/** A finding without a comparison proves nothing. */
function unlessEmpty(finding: Finding): Finding {
  return finding.checked > 0
    ? finding
    : { ...finding, problems: [...finding.problems, "there was nothing to compare"] };
}

function checkRun(deployment: Deployment, kills: Kills, notified: Kills): Finding[] {
  const spared = [...kills].filter(([, count]) => count === 0).map(([part]) => `${part} was never killed`);
  const unheard = [...notified].filter(([, count]) => count === 0).map(([topic]) => `of ${topic} never`);
  const betweenThem: Finding = {
    invariant: "a process died between a notification and its work",
    checked: total(notified),
    problems: unheard,
  };
  return [
    ...(notified.size === 0 ? [] : [betweenThem]),
    {
      invariant: "every part was killed",
      checked: total(kills),
      problems: spared,
    },
    {
      invariant: "the service ended by nothing but kills, and came back after each",
      checked: deployment.starts,
      problems: deployment.endedByItself,
    },
  ];
}

async function stop(deployment: Deployment): Promise<Finding> {
  return { invariant: "it stops when asked and leaves no process", checked: 1, problems: await deployment.stop() };
}

function conclude(
  { say, seed }: ChaosOptions,
  facts: {
    history: History;
    kills: Kills;
    deployment: Deployment;
    findings: readonly Finding[];
    notes: readonly string[];
  },
): boolean {
  const { findings, notes } = facts;
  for (const line of [...describeTotals(facts), ...notes, ...describeFindings(findings)]) say(line);
  const failed = findings.filter(isProblem).length;
  say(failed === 0 ? `all invariants hold (seed ${seed})` : `${failed} invariants FAILED (seed ${seed})`);
  return failed === 0;
}

function total(kills: Kills): number {
  return [...kills.values()].reduce((sum, count) => sum + count, 0);
}
