import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { namedChains } from "../domain/chains/named-chains.ts";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { adoptProgram, closeProgram, loopbackUrl, runToItsEnd, startProgram } from "./http-part.ts";
import type { Part } from "./part.ts";
import { isAlive } from "./process-identity.ts";

/** The program's description of its chain. */
const Meta = z.object({ genesis: z.object({ chainId: z.int() }) });
const Endpoint = z.object({ port: z.int().min(1).max(65_535) });

const DEVNET_PROGRAM = fileURLToPath(new URL("../../../devnet/src/main.ts", import.meta.url));
const FIRST_NAME = "devnet";
const FIRST_CHAIN_ID = 5_042_002;
const LIST_LIMIT_MILLISECONDS = 2_000;

/** A chain's folder is named after its part. */
const chainFolder = (dataDir: string, name: string): string => join(dataDir, name);
const endpointPath = (dataDir: string, name: string): string => join(chainFolder(dataDir, name), "endpoint.json");
const metaPath = (dataDir: string, name: string): string => join(chainFolder(dataDir, name), "meta.json");
const chainsPath = (dataDir: string, name: string): string => join(chainFolder(dataDir, name), "chains.json");
const prefundPath = (dataDir: string, name: string): string => join(chainFolder(dataDir, name), "prefund.json");

/** The address of a chain's JSON-RPC; undefined before its first start. It stays the same over restarts. */
export const devnetAccess = (
  dataDir: string,
  name: string = FIRST_NAME,
): { rpcUrl: string; chainId: number } | undefined => {
  const endpoint = readPrivateJson(endpointPath(dataDir, name), Endpoint);
  const chainId = readPrivateJson(metaPath(dataDir, name), Meta)?.genesis.chainId;
  return endpoint && chainId !== undefined ? { rpcUrl: loopbackUrl(endpoint.port), chainId } : undefined;
};

/**
 * Stores the addresses with native gas from the chain's first block on. Fixed by the first start; a later start with another
 * address is refused.
 */
export const writeDevnetPrefund = (dataDir: string, addresses: readonly string[], name: string = FIRST_NAME): void => {
  ensurePrivateFolder(chainFolder(dataDir, name));
  writePrivateJson(prefundPath(dataDir, name), addresses);
};

/** A chain beside the first one, by its name and its real id. */
interface FurtherChain {
  name: string;
  chainId: number;
}

/** Every chain that the interface names, except the one that the first chain stands for. */
export const listFurtherChains = (): readonly FurtherChain[] =>
  namedChains.filter(({ chainId }) => chainId !== FIRST_CHAIN_ID).map(({ name, chainId }) => ({ name, chainId }));

/** The JSON-RPC of a further chain of the development chain at `rpcUrl`. It starts when it is first used. */
export const furtherChainUrl = (rpcUrl: string, name: string): string => `${rpcUrl}/chains/${name}`;

interface DevnetPartOptions {
  dataDir: string;
  log: Log;
  progress(line: string): void;
  chainId?: number;
  /** The name of the part and its folder: another chain needs another name. */
  name?: string;
  snapshotAfter?: number;
  /** Chains that start when they are first used. */
  furtherChains?: readonly FurtherChain[];
  /** The chain's entry point. */
  program?: string;
  /** Further arguments of the program, such as a stopped clock. */
  programOptions?: readonly string[];
}

const Listed = z.object({ chains: z.array(z.object({ name: z.string() })) });

/** An earlier release's process may run, which knows fewer chains or none. */
const knowsChains = async (known: { url: string } | undefined, wanted: readonly FurtherChain[]): Promise<boolean> => {
  if (known === undefined || wanted.length === 0) return true;
  try {
    const answer = await fetch(`${known.url}/chains`, { signal: AbortSignal.timeout(LIST_LIMIT_MILLISECONDS) });
    const names = new Set(Listed.parse(await answer.json()).chains.map(({ name }) => name));
    return wanted.every(({ name }) => names.has(name));
  } catch {
    return false;
  }
};

/** The development chains: a sequencer and its nodes, in one process group, with their own durable logs. */
export const createDevnetPart = (options: DevnetPartOptions): Part => {
  const { dataDir, log, progress, chainId, name = FIRST_NAME, program = DEVNET_PROGRAM, furtherChains = [] } = options;
  const folder = chainFolder(dataDir, name);
  const endpointFile = endpointPath(dataDir, name);
  const prefundFile = prefundPath(dataDir, name);
  const chainsFile = chainsPath(dataDir, name);
  const logPath = join(dataDir, "logs", `${name}.log`);

  const movePort = async (): Promise<number> => {
    const port = await findFreePort();
    writePrivateJson(endpointFile, { port });
    return port;
  };

  /** Ends unrecorded processes, such as the node of a killed sequencer. */
  const endOrphans = () => runToItsEnd([program, "--folder", folder, "--end-orphans"], logPath);

  const ensurePort = async (mayMovePort: boolean): Promise<number> => {
    const known = readPrivateJson(endpointFile, Endpoint);
    if (known && (await isPortFree(known.port))) return known.port;
    // The chain itself may be on its port: its owner was killed between starting and recording it.
    if (known) await endOrphans();
    if (known && (await isPortFree(known.port))) return known.port;
    if (known && !mayMovePort) {
      throw new EmbeddedError(`Port ${known.port} of the development chain is taken by another program: stop it.`);
    }
    return await movePort();
  };

  return {
    name,
    logPath,
    async open(opening) {
      const fits = await knowsChains(opening.known, furtherChains);
      const adopted = await adoptProgram(opening, { title: "development chain", log }, fits);
      if (adopted) return adopted;
      ensurePrivateFolder(folder);
      writePrivateJson(chainsFile, furtherChains);
      const port = await ensurePort(opening.mayMovePort);
      progress("Starting the development chain");
      const words = (at: number) => [
        ...[program, "--folder", folder, "--port", String(at), "--replace"],
        ...(chainId === undefined ? [] : ["--chain-id", String(chainId)]),
        ...(existsSync(prefundFile) ? ["--prefund-file", prefundFile] : []),
        ...(furtherChains.length === 0 ? [] : ["--chains-file", chainsFile]),
        ...(options.programOptions ?? []),
        ...(options.snapshotAfter === undefined ? [] : ["--snapshot-after", String(options.snapshotAfter)]),
      ];
      const running = await startProgram(
        { title: "The development chain", logPath, words, port, movePort: opening.mayMovePort ? movePort : undefined },
        opening,
      );
      log.info({ partPid: running.pid, port: running.port }, "development chain started");
      return running;
    },
    async close(running) {
      const wasKilled = !isAlive(running);
      await closeProgram(running);
      // A killed sequencer leaves its node running.
      if (wasKilled) await endOrphans();
    },
  };
};
