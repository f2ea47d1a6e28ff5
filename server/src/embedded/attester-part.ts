import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Hex } from "../domain/tokens.ts";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { adoptProgram, closeProgram, loopbackUrl, startProgram } from "./http-part.ts";
import type { Part } from "./part.ts";

const ATTESTER_PROGRAM = fileURLToPath(new URL("../../../attester/src/main.ts", import.meta.url));
const NAME = "attester";
const Endpoint = z.object({ port: z.int().min(1).max(65_535) });

interface AttestedChain {
  name: string;
  network: "testnet" | "mainnet";
  /** The number of the chain in the bridge and the Gateway. */
  domain: number;
  rpcUrl: string;
  /** Reached from chains of both networks. */
  isHub: boolean;
  usdc: Hex;
  transmitter: Hex;
  messenger: Hex;
  gatewayWallet: Hex;
  gatewayMinter: Hex;
}

interface AttesterKeys {
  /** As many as must sign a message. */
  attesters: readonly Hex[];
  gateway: Hex;
}

/** The attester's secrets file; `attester/src/settings.ts` reads it and explains it. */
export interface AttesterSecrets {
  chains: readonly AttestedChain[];
  keys: { testnet: AttesterKeys; mainnet: AttesterKeys };
}

interface AttesterPartOptions {
  dataDir: string;
  log: Log;
  progress(line: string): void;
  /** Undefined: this service does not know them yet, or at all; it can only go on with the attester that runs. */
  readSecrets(): AttesterSecrets | undefined;
  program?: string;
  /** Further arguments of the program, such as faults that can be armed. */
  programOptions?: readonly string[];
}

const attesterFolder = (dataDir: string): string => join(dataDir, NAME);
const endpointPath = (dataDir: string): string => join(attesterFolder(dataDir), "endpoint.json");

/** Where it answers; undefined before its first start. It stays the same over restarts. */
export const attesterAccess = (dataDir: string): { url: string } | undefined => {
  const endpoint = readPrivateJson(endpointPath(dataDir), Endpoint);
  return endpoint && { url: loopbackUrl(endpoint.port) };
};

/** The attester of the development chains: a process with the interfaces of the public attestation service and of the Gateway. */
export const createAttesterPart = (options: AttesterPartOptions): Part<"attester"> => {
  const { dataDir, log, progress, readSecrets, program = ATTESTER_PROGRAM, programOptions = [] } = options;
  const folder = attesterFolder(dataDir);
  const secretsFile = join(folder, "secrets.json");
  const logPath = join(dataDir, "logs", `${NAME}.log`);

  const movePort = async (): Promise<number> => {
    const port = await findFreePort();
    writePrivateJson(endpointPath(dataDir), { port });
    return port;
  };

  const ensurePort = async (mayMovePort: boolean): Promise<number> => {
    const known = readPrivateJson(endpointPath(dataDir), Endpoint);
    if (known && (await isPortFree(known.port))) return known.port;
    if (known && !mayMovePort) {
      throw new EmbeddedError(`Port ${known.port} of the attester is taken by another program: stop it.`);
    }
    return await movePort();
  };

  return {
    name: NAME,
    logPath,
    async open(opening) {
      const before = readPrivateJson(secretsFile, z.unknown());
      const secrets = readSecrets() ?? before;
      if (secrets === undefined) throw new EmbeddedError("The attester has no chains to attest for.");
      ensurePrivateFolder(folder);
      // It reads its chains at its start.
      const isUnchanged = isDeepStrictEqual(before, secrets);
      const adopted = await adoptProgram(opening, { title: "attester", log }, isUnchanged);
      if (adopted) return adopted;
      const port = await ensurePort(opening.mayMovePort);
      writePrivateJson(secretsFile, secrets);
      progress("Starting the attester");
      const words = (at: number) => [
        ...[program, "--folder", folder, "--port", String(at)],
        ...["--secrets-file", secretsFile, ...programOptions],
      ];
      const running = await startProgram(
        { title: "The attester", logPath, words, port, movePort: opening.mayMovePort ? movePort : undefined },
        opening,
      );
      log.info({ partPid: running.pid, port: running.port }, "attester started");
      return running;
    },
    close: closeProgram,
  };
};
