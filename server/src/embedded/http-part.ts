import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { LOOPBACK } from "./free-port.ts";
import { readLogSince, sizeOfFile } from "./log-file.ts";
import { type OpenOptions, type RunningPart, spawnPart } from "./part.ts";
import { isAlive, type ProcessIdentity, sendSignal, waitUntilGone } from "./process-identity.ts";

/**
 * Common code of parts that are Node programs of this repository: they answer `GET /healthz` on loopback, and write a line of
 * JSON with `"ready":true` once they listen.
 */
interface HttpProgram {
  /** The operator's name for it: "the development chain". */
  title: string;
  logPath: string;
  /** The program and its arguments. */
  words(port: number): readonly string[];
  port: number;
  /** Chooses and remembers another port. Undefined: the part must keep its port. */
  movePort: (() => Promise<number>) | undefined;
}

const ADOPT_LIMIT_MILLISECONDS = 3_000;
const PROBE_MILLISECONDS = 25;
const PROBE_TIMEOUT_MILLISECONDS = 2_000;
const START_LIMIT_MILLISECONDS = 60_000;
/** Elapsed time alone proves nothing: this process may have been suspended. */
const LEAST_PROBES = 4;
const START_ATTEMPTS = 5;
/** A stop has 10 s in total. A part that is killed after this loses nothing: the next start recovers it. */
const STOP_LIMIT_MILLISECONDS = 1_500;
const REASON_LIMIT = 400;
const READY = '"ready":true';

export const loopbackUrl = (port: number): string => `http://${LOOPBACK}:${port}`;

const isHealthy = async (port: number): Promise<boolean> => {
  try {
    const answer = await fetch(`${loopbackUrl(port)}/healthz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MILLISECONDS),
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
};

const becomesHealthy = async (
  { port, ...process }: RunningPart,
  limitMilliseconds: number,
  signal: AbortSignal,
  saysReady: () => boolean = () => true,
): Promise<boolean> => {
  const deadline = performance.now() + limitMilliseconds;
  for (let probes = 0; probes < LEAST_PROBES || performance.now() < deadline; probes += 1) {
    signal.throwIfAborted();
    // Checked alive after the answer too: a stranger on the port must not pass for a program that just ended.
    if (saysReady() && (await isHealthy(port)) && isAlive(process)) return true;
    if (!isAlive(process)) return false;
    await delay(PROBE_MILLISECONDS);
  }
  return false;
};

/** Ends the program, and any remaining process of its group. */
export const closeProgram = async (process: ProcessIdentity): Promise<void> => {
  sendSignal(process, "SIGTERM");
  if (await waitUntilGone(process, STOP_LIMIT_MILLISECONDS)) return;
  sendSignal(process, "SIGKILL", "group");
  await waitUntilGone(process, 1_000);
};

/** Adopts a program that an earlier start left running. Undefined if there is none, or if it does not answer or fit and was closed. */
export const adoptProgram = async (
  { known, signal }: OpenOptions,
  { title, log }: { title: string; log: Log },
  fits: boolean = true,
): Promise<RunningPart | undefined> => {
  if (!known || !isAlive(known)) return undefined;
  if (fits && (await becomesHealthy(known, ADOPT_LIMIT_MILLISECONDS, signal))) {
    log.info({ partPid: known.pid, port: known.port }, `adopted the running ${title}`);
    return known;
  }
  log.warn({ partPid: known.pid }, `the running ${title} ${fits ? "does not answer" : "does not fit"} and is replaced`);
  await closeProgram(known);
  return undefined;
};

/** Runs a program that ends by itself, within the time of a stop. */
export const runToItsEnd = async (words: readonly string[], logPath: string): Promise<void> => {
  await waitUntilGone(spawnPart(process.execPath, words, logPath), STOP_LIMIT_MILLISECONDS);
};

/**
 * Starts the program and waits until it answers. A free port can be taken before the program listens: then it starts again on
 * another one. Rejects with its last output if the operator must act.
 */
export const startProgram = async (
  { title, logPath, words, port: firstPort, movePort }: HttpProgram,
  { started, signal }: Pick<OpenOptions, "started" | "signal">,
): Promise<RunningPart> => {
  let port = firstPort;
  let reason = "it said nothing";
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const logOffset = sizeOfFile(logPath);
    const running = { ...spawnPart(process.execPath, words(port), logPath), port, url: loopbackUrl(port) };
    started(running);
    // Only the program itself reports that it is ready: a stranger on its port can answer before it finds the port taken.
    const saysReady = () => readLogSince(logPath, logOffset).includes(READY);
    if (await becomesHealthy(running, START_LIMIT_MILLISECONDS, signal, saysReady)) return running;
    // A program that ended silently was killed during its start.
    const wasKilled = !isAlive(running);
    await closeProgram(running);
    const said = readLogSince(logPath, logOffset).trim();
    if (movePort !== undefined && said.includes("EADDRINUSE")) {
      port = await movePort();
      continue;
    }
    const lines = said.split("\n");
    reason = lines.findLast((line) => /error/i.test(line)) || lines.at(-1) || reason;
    if (!wasKilled || said !== "") break;
  }
  throw new EmbeddedError(`${title} does not start (${reason.slice(0, REASON_LIMIT)}): see ${logPath}.`);
};
