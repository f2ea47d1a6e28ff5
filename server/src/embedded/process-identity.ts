import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../platform/files/error-code.ts";

/** The system reuses process ids; together with the start time, an id is unique. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot on Linux, the text of `ps -o lstart` elsewhere. Compared, never interpreted. */
  startTime: string;
}

const onLinux = process.platform === "linux";

const readStat = (pid: number): { state: string; startTime: string } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name is in parentheses and may contain spaces and parentheses: fields are counted from the last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "?", startTime: fields[19] ?? "?" };
  } catch {
    return undefined;
  }
};

const askPs = (pid: number, columns: readonly string[]): string | undefined => {
  try {
    const words = ["-o", columns.map((column) => `${column}=`).join(","), "-p", String(pid)];
    return execFileSync("ps", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined;
  }
};

/** Undefined if there is no such process, or only its zombie. */
export const identifyProcess = (pid: number): ProcessIdentity | undefined => {
  if (onLinux) {
    const stat = readStat(pid);
    return stat && !"ZX".includes(stat.state) ? { pid, startTime: stat.startTime } : undefined;
  }
  const [state, ...startTime] = askPs(pid, ["stat", "lstart"])?.split(/\s+/) ?? [];
  return state === undefined || state.startsWith("Z") ? undefined : { pid, startTime: startTime.join(" ") };
};

export const ownIdentity = (): ProcessIdentity => identifyProcess(process.pid) ?? { pid: process.pid, startTime: "?" };

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
};

// Without /proc each look runs ps: between two of them it is enough that the id is still in use.
const PS_EVERY_MILLISECONDS = 2_000;
const lastSeen = new Map<string, number>();

const isAliveByPs = ({ pid, startTime }: ProcessIdentity): boolean => {
  const key = `${pid} ${startTime}`;
  const fresh = performance.now() - (lastSeen.get(key) ?? Number.NEGATIVE_INFINITY) < PS_EVERY_MILLISECONDS;
  const alive = exists(pid) && (fresh || identifyProcess(pid)?.startTime === startTime);
  if (!alive) lastSeen.delete(key);
  else if (!fresh) lastSeen.set(key, performance.now());
  return alive;
};

/** A zombie counts as dead: it only waits for its parent. */
export const isAlive = (identity: ProcessIdentity): boolean =>
  onLinux ? identifyProcess(identity.pid)?.startTime === identity.startTime : isAliveByPs(identity);

/** The words of the command line; undefined if they cannot be read. */
export const readCommandLine = (pid: number): string | undefined => {
  if (!onLinux) return askPs(pid, ["command"]);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ");
  } catch {
    return undefined;
  }
};

/** Sends the signal if this very process still runs. Group: also to everything that it started. */
export const sendSignal = (
  identity: ProcessIdentity,
  signal: "SIGINT" | "SIGKILL" | "SIGQUIT" | "SIGTERM",
  to: "process" | "group" = "process",
): void => {
  if (!isAlive(identity)) return;
  try {
    process.kill(to === "group" ? -identity.pid : identity.pid, signal);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
};

const GONE_POLL_MILLISECONDS = 20;

/** True if the process ended within the time. */
export const waitUntilGone = async (identity: ProcessIdentity, timeoutMilliseconds: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMilliseconds;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await delay(GONE_POLL_MILLISECONDS);
  }
  return true;
};
