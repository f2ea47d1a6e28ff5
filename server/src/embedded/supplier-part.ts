import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../platform/files/private-files.ts";
import type { Log } from "../ports/log.ts";
import { EmbeddedError } from "./embedded-error.ts";
import { findFreePort, isPortFree, LOOPBACK } from "./free-port.ts";
import { adoptProgram, closeProgram, loopbackUrl, startProgram } from "./http-part.ts";
import type { Part } from "./part.ts";
import { ensureSandboxDatabase } from "./postgres/databases.ts";

const Settings = z.object({ token: z.string().min(1), port: z.int().min(1).max(65_535) });
const Secrets = z.object({ token: z.string(), databaseUrl: z.string() });

export const SANDBOX_PROGRAM = fileURLToPath(new URL("../../../sandbox/src/main.ts", import.meta.url));

const supplierFolder = (dataDir: string): string => join(dataDir, "supplier");
const settingsPath = (dataDir: string): string => join(supplierFolder(dataDir), "settings.json");

/** The supplier sandbox's address and accepted token; undefined before its first start. */
export const supplierAccess = (dataDir: string): { url: string; token: string } | undefined => {
  const settings = readPrivateJson(settingsPath(dataDir), Settings);
  return settings && { url: loopbackUrl(settings.port), token: settings.token };
};

interface SupplierPartOptions {
  dataDir: string;
  log: Log;
  /** The service's database; the sandbox gets a separate one on the same server. */
  serviceDatabaseUrl(): string;
  progress(line: string): void;
  /** The sandbox's entry point. */
  program: string;
  /** Its further arguments. */
  programOptions: readonly string[];
}

/** The supplier sandbox: a separate HTTP server with its own database and ledger. */
export const supplierPart = ({
  dataDir,
  log,
  serviceDatabaseUrl,
  progress,
  program,
  programOptions,
}: SupplierPartOptions): Part<"supplier"> => {
  const logPath = join(dataDir, "logs", "supplier.log");
  const secretsFile = join(supplierFolder(dataDir), "secrets.json");

  const movePort = async (token: string): Promise<z.infer<typeof Settings>> => {
    const settings = { token, port: await findFreePort() };
    writePrivateJson(settingsPath(dataDir), settings);
    return settings;
  };

  const ensureSettings = async (mayMovePort: boolean): Promise<z.infer<typeof Settings>> => {
    const known = readPrivateJson(settingsPath(dataDir), Settings);
    if (known && (await isPortFree(known.port))) return known;
    if (known && !mayMovePort) {
      throw new EmbeddedError(`Port ${known.port} of the supplier sandbox is taken by another program: stop it.`);
    }
    return await movePort(known?.token ?? `sandbox_${randomBytes(24).toString("base64url")}`);
  };

  return {
    name: "supplier",
    logPath,
    async open(options) {
      const { mayMovePort, started, signal } = options;
      ensurePrivateFolder(supplierFolder(dataDir));
      const databaseUrl = await ensureSandboxDatabase(serviceDatabaseUrl());
      const isSameDatabase = readPrivateJson(secretsFile, Secrets)?.databaseUrl === databaseUrl;
      const adopted = await adoptProgram(options, { title: "supplier sandbox", log }, isSameDatabase);
      if (adopted) return adopted;
      const { token, port } = await ensureSettings(mayMovePort);
      writePrivateJson(secretsFile, { token, databaseUrl });
      progress("Starting the supplier sandbox");
      const words = (at: number) => [
        ...[program, "--port", String(at), "--host", LOOPBACK, "--secrets-file", secretsFile],
        ...programOptions,
      ];
      const running = await startProgram(
        {
          title: "The supplier sandbox",
          logPath,
          words,
          port,
          movePort: mayMovePort ? async () => (await movePort(token)).port : undefined,
        },
        { started, signal },
      );
      log.info({ partPid: running.pid, port: running.port }, "supplier sandbox started");
      return running;
    },
    close: closeProgram,
  };
};
