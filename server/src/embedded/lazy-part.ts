import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { findFreePort, isPortFree } from "./free-port.ts";
import { adoptProgram, closeProgram, loopbackUrl, startProgram } from "./http-part.ts";
import type { Part } from "./part.ts";

const Endpoint = z.object({ port: z.int().min(1).max(65_535) });

export interface LazyPartOptions {
  dataDir: string;
  log: Log;
  progress(line: string): void;
  /** Undefined: this service does not know them yet, or at all; it can only go on with the program that runs. */
  readSecrets(): object | undefined;
  program: string;
  /** Further arguments of the program, such as faults that can be armed. */
  programOptions?: readonly string[];
}

/** A part that starts when it is first used. Its name is also that of its folder and its log. */
interface LazyPart<Name extends string> {
  name: Name;
  /** The operator's name for it. */
  title: string;
}

const secretsPath = (dataDir: string, name: string): string => join(dataDir, name, "secrets.json");
const endpointPath = (dataDir: string, name: string): string => join(dataDir, name, "endpoint.json");

/** Where it answers; undefined before its first start. It stays the same over restarts. */
export const lazyPartAccess = (dataDir: string, name: string): { url: string } | undefined => {
  const endpoint = readPrivateJson(endpointPath(dataDir, name), Endpoint);
  return endpoint && { url: loopbackUrl(endpoint.port) };
};

/** For the service that keeps the parts, which may not know them: before its first start, the part has none. */
export const leaveSecrets = (dataDir: string, name: string, secrets: object): void => {
  const path = secretsPath(dataDir, name);
  if (readPrivateJson(path, z.unknown()) !== undefined) return;
  ensurePrivateFolder(join(dataDir, name));
  writePrivateJson(path, secrets);
};

/** A Node program of the repository that reads a file of secrets at its start, and is replaced when they change. */
export const createLazyPart = <Name extends string>(
  { name, title }: LazyPart<Name>,
  { dataDir, log, progress, readSecrets, program, programOptions = [] }: LazyPartOptions,
): Part<Name> => {
  const folder = join(dataDir, name);
  const secretsFile = secretsPath(dataDir, name);
  const logPath = join(dataDir, "logs", `${name}.log`);
  const endpointFile = endpointPath(dataDir, name);

  const movePort = async (): Promise<number> => {
    const port = await findFreePort();
    writePrivateJson(endpointFile, { port });
    return port;
  };

  const ensurePort = async (mayMovePort: boolean): Promise<number> => {
    const known = readPrivateJson(endpointFile, Endpoint);
    if (known && (await isPortFree(known.port))) return known.port;
    if (known && !mayMovePort) {
      throw new EmbeddedError(`Port ${known.port} of the ${title} is taken by another program: stop it.`);
    }
    return await movePort();
  };

  return {
    name,
    logPath,
    async open(opening) {
      const before = readPrivateJson(secretsFile, z.unknown());
      const secrets = readSecrets() ?? before;
      if (secrets === undefined) throw new EmbeddedError(`The ${title} has no secrets to start with.`);
      ensurePrivateFolder(folder);
      const isUnchanged = isDeepStrictEqual(before, secrets);
      const adopted = await adoptProgram(opening, { title, log }, isUnchanged);
      if (adopted) return adopted;
      const port = await ensurePort(opening.mayMovePort);
      writePrivateJson(secretsFile, secrets);
      progress(`Starting the ${title}`);
      const words = (at: number) => [
        ...[program, "--folder", folder, "--port", String(at)],
        ...["--secrets-file", secretsFile, ...programOptions],
      ];
      const running = await startProgram(
        { title: `The ${title}`, logPath, words, port, movePort: opening.mayMovePort ? movePort : undefined },
        opening,
      );
      log.info({ partPid: running.pid, port: running.port }, `${title} started`);
      return running;
    },
    close: closeProgram,
  };
};
