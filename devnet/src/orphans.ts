import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import {
  identifyProcess,
  type ProcessIdentity,
  readCommandLine,
  sendSignal,
} from "../../server/src/embedded/process-identity.ts";
import { genesisFileOf } from "./genesis.ts";

const processNumbers = (): number[] => {
  const words =
    process.platform === "linux"
      ? readdirSync("/proc")
      : execFileSync("ps", ["-axo", "pid="], { encoding: "utf8" }).split(/\s+/);
  return words.filter((word) => /^\d+$/.test(word)).map(Number);
};

/** The nodes that run a folder's chain: the genesis file in their command line tells. */
export const findNodes = (folder: string): ProcessIdentity[] => {
  const sign = `--init ${genesisFileOf(folder)} `;
  return processNumbers()
    .filter((pid) => pid !== process.pid && readCommandLine(pid)?.includes(sign))
    .flatMap((pid) => identifyProcess(pid) ?? []);
};

/**
 * Ends the node that a killed sequencer left. It keeps nothing, so it can do no harm but take memory. Call this only while holding
 * the folder's lock. Returns how many were ended.
 */
export const endOrphanNodes = (folder: string): number => {
  const orphans = findNodes(folder);
  for (const orphan of orphans) sendSignal(orphan, "SIGKILL");
  return orphans.length;
};
