import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type OwnerLock, tryOwnerLock } from "../platform/files/owner-lock.ts";
import { ensurePrivateFolder, makeFolder } from "../platform/files/private-files.ts";
import type { Log } from "../ports/log.ts";
import { type AttesterSecrets, createAttesterPart } from "./attester-part.ts";
import { type CarriersSecrets, createCarriersPart } from "./carriers-part.ts";
import { createDevnetPart, devnetAccess, listFurtherChains, writeDevnetPrefund } from "./devnet-part.ts";
import { EmbeddedError, errorText, explainFileError } from "./embedded-error.ts";
import { lazyPartAccess, leaveSecrets } from "./lazy-part.ts";
import type { Part } from "./part.ts";
import { createPartKeeper, type PartKeeper } from "./part-keeper.ts";
import { readParts } from "./parts-file.ts";
import { checkReachable } from "./postgres/databases.ts";
import { embeddedDatabaseUrl, postgresPart } from "./postgres/postgres-part.ts";
import { isAlive } from "./process-identity.ts";
import { type PartName, type Registrations, registerService } from "./registrations.ts";
import { SANDBOX_PROGRAM, supplierAccess, supplierPart } from "./supplier-part.ts";

interface StartEmbeddedOptions {
  /** Created (0700) if missing. */
  dataDir: string;
  /** Undefined: the embedded PostgreSQL under dataDir. Set: that server, and no embedded one starts. */
  databaseUrl: string | undefined;
  /** Called as soon as the database can be reached, before anything else starts. Its rejection aborts the start. */
  checkDatabase?: (databaseUrl: string) => Promise<void>;
  /** Whether this service needs the supplier sandbox. */
  supplierSandbox: boolean;
  log: Log;
  /** If aborted during the start, it stops what it started and rejects with the reason. Has no effect later. */
  signal?: AbortSignal;
  /** Set: this service needs the development chain, and these addresses have native gas on it from its first block on. */
  devnetPrefund?: readonly string[];
  attesterProgram?: string;
  attesterOptions?: readonly string[];
  carriersProgram?: string;
  /** Replaces the repository's supplier sandbox. */
  supplierProgram?: string;
  /** Its further arguments, such as a stopped clock. */
  supplierOptions?: readonly string[];
  /** The same for the development chain. */
  devnetProgram?: string;
  devnetOptions?: readonly string[];
  /** Reports to the operator while something takes long. */
  progress?: (line: string) => void;
}

export interface Embedded {
  /** Contains the password; unchanged while this service runs, through every restart of the server. */
  databaseUrl: string;
  supplier?: { url: string; token: string };
  chain?: { rpcUrl: string; chainId: number };
  /** Starts the attester of these development chains unless it runs. */
  startAttester(secrets: AttesterSecrets): Promise<{ url: string }>;
  /** Starts the simulator of the carriers unless it runs. */
  startCarriers(secrets: CarriersSecrets): Promise<{ url: string }>;
  /** Stops the parts unless another service on the same dataDir still uses them. Close your own connections first. */
  stop(): Promise<void>;
}

/** Parts that start when they are first used, with what each needs then. */
const lazyNames = ["attester", "carriers"] as const;
type LazyName = (typeof lazyNames)[number];
type LazySecrets = { attester?: AttesterSecrets; carriers?: CarriersSecrets };

const TICK_MILLISECONDS = 250;
const LAZY_LOOK_MILLISECONDS = 25;
const LAZY_LIMIT_MILLISECONDS = 20_000;
/** Another service may be creating the database for the first time, on a slow disk. */
const WAIT_FOR_OTHERS_MILLISECONDS = 180_000;
const PROGRESS_EVERY_MILLISECONDS = 5_000;
const STOP_LIMIT_MILLISECONDS = 9_000;

const prepareFolders = (dataDir: string): string => {
  makeFolder(dataDir);
  const real = realpathSync(dataDir);
  for (const folder of [real, join(real, "logs"), join(real, "embedded")]) ensurePrivateFolder(folder);
  return real;
};

/** A process's share in keeping the parts: the owner keeps them, the others wait to become owner. */
const joinService = (dataDir: string, registrations: Registrations, makeKeeper: () => PartKeeper) => {
  let lock: OwnerLock | undefined;
  let keeper: PartKeeper | undefined;

  const release = () => {
    lock?.release();
    lock = undefined;
    keeper = undefined;
  };
  const tryOwn = (): PartKeeper | undefined => {
    if (keeper) return keeper;
    lock = tryOwnerLock(join(dataDir, "embedded", "owner.lock"));
    try {
      if (lock) keeper = makeKeeper();
      return keeper;
    } catch (error) {
      release();
      throw error;
    }
  };
  return {
    /** @param required the parts that must start now; none once this service runs. */
    async tick(required: readonly PartName[]): Promise<void> {
      const owned = tryOwn();
      // Other services use the parts' addresses already, and so does this one once it runs.
      const mayMovePort = required.length > 0 && registrations.countOthers() === 0;
      await owned?.keep(registrations.wanted(), { required, mayMovePort });
    },
    /**
     * The last service to leave stops the parts. Checking again after releasing the lock keeps two that leave at the same
     * moment from relying on each other.
     */
    async leave(): Promise<void> {
      registrations.remove();
      const deadline = performance.now() + STOP_LIMIT_MILLISECONDS;
      while (performance.now() < deadline) {
        if (registrations.countOthers() > 0) {
          release();
          if (registrations.countOthers() > 0) return;
        }
        const owned = tryOwn();
        if (owned) {
          await owned.closeAll();
          release();
          return;
        }
        await delay(50);
      }
    },
  };
};

type Share = ReturnType<typeof joinService>;

/**
 * Starts, adopts or joins the embedded parts of a DATA_DIR: separate processes in their own process groups, listed in
 * `parts.json`. Several services on one DATA_DIR share them; exactly one keeps them running, and another takes over within a
 * second when it dies. A part that dies is restarted on the same port.
 * Rejects with EmbeddedError, whose message is one line for the operator.
 */
export const startEmbedded = async (options: StartEmbeddedOptions): Promise<Embedded> => {
  try {
    return await start({ ...options, dataDir: prepareFolders(options.dataDir) });
  } catch (error) {
    throw explainFileError(error, options.dataDir);
  }
};

const noProgress = (): void => undefined;

const start = async (options: StartEmbeddedOptions): Promise<Embedded> => {
  const { dataDir, databaseUrl, supplierSandbox, log, progress = noProgress, signal } = options;
  signal?.throwIfAborted();
  if (databaseUrl !== undefined) await checkReachable(databaseUrl);
  const serviceDatabaseUrl = (): string => {
    const url = databaseUrl ?? embeddedDatabaseUrl(dataDir);
    if (url === undefined) throw new EmbeddedError(`The embedded database of ${dataDir} was not started.`);
    return url;
  };
  const database: PartName[] = databaseUrl === undefined ? ["postgres"] : [];
  const lazySecrets: LazySecrets = {};
  const parts = makeParts(options, serviceDatabaseUrl, progress, lazySecrets);
  const stopping = new AbortController();
  const abort = () => stopping.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const registrations = registerService(join(dataDir, "embedded", "services"), database);
  let wants = database;
  const share = joinService(dataDir, registrations, () => createPartKeeper(dataDir, parts, log, stopping.signal));
  try {
    const waiting = { signal: stopping.signal, progress };
    if (databaseUrl === undefined) await becomeReady(dataDir, share, { ...waiting, wants: database });
    await options.checkDatabase?.(serviceDatabaseUrl());
    wants = [...database, ...otherParts(options)];
    registrations.want(wants);
    await becomeReady(dataDir, share, { ...waiting, wants });
  } catch (error) {
    await share.leave();
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  const watching = watch(share, stopping.signal, log);
  const startLazily = async (name: LazyName, secrets: object): Promise<{ url: string }> => {
    leaveSecrets(dataDir, name, secrets);
    registrations.want([...wants, ...lazyNames.filter((one) => lazySecrets[one] !== undefined)]);
    const deadline = performance.now() + LAZY_LIMIT_MILLISECONDS;
    // Whichever service keeps the parts opens it at its next look.
    while (!isReady(dataDir, name)) {
      stopping.signal.throwIfAborted();
      if (performance.now() > deadline) throw new EmbeddedError(`The ${name} does not start: see ${dataDir}/logs.`);
      await delay(LAZY_LOOK_MILLISECONDS);
    }
    const access = lazyPartAccess(dataDir, name);
    if (access === undefined) throw new EmbeddedError(`The ${name} of ${dataDir} was not started.`);
    return access;
  };
  let stopped: Promise<void> | undefined;
  const supplier = supplierSandbox ? supplierAccess(dataDir) : undefined;
  const chain = options.devnetPrefund === undefined ? undefined : devnetAccess(dataDir);
  return {
    databaseUrl: serviceDatabaseUrl(),
    ...(supplier && { supplier }),
    ...(chain && { chain }),
    startAttester(secrets) {
      lazySecrets.attester = secrets;
      return startLazily("attester", secrets);
    },
    startCarriers(secrets) {
      lazySecrets.carriers = secrets;
      return startLazily("carriers", secrets);
    },
    stop() {
      stopping.abort();
      stopped ??= watching.then(() => share.leave());
      return stopped;
    },
  };
};

/** The parts that this service needs besides the database. */
const otherParts = ({ dataDir, supplierSandbox, devnetPrefund }: StartEmbeddedOptions): PartName[] => {
  const wants: PartName[] = [];
  if (supplierSandbox) wants.push("supplier");
  if (devnetPrefund !== undefined) {
    writeDevnetPrefund(dataDir, devnetPrefund);
    wants.push("devnet");
  }
  return wants;
};

/** All of them, as others on the same DATA_DIR may need them. */
const makeParts = (
  options: StartEmbeddedOptions,
  serviceDatabaseUrl: () => string,
  progress: (line: string) => void,
  lazySecrets: LazySecrets,
): readonly Part[] => {
  const { dataDir, log, supplierProgram = SANDBOX_PROGRAM, supplierOptions = [], devnetOptions = [] } = options;
  return [
    postgresPart(dataDir, log, progress),
    supplierPart({
      dataDir,
      log,
      serviceDatabaseUrl,
      progress,
      program: supplierProgram,
      programOptions: supplierOptions,
    }),
    createDevnetPart({
      dataDir,
      log,
      progress,
      programOptions: devnetOptions,
      furtherChains: listFurtherChains(),
      ...(options.devnetProgram === undefined ? {} : { program: options.devnetProgram }),
    }),
    createAttesterPart({
      dataDir,
      log,
      progress,
      readSecrets: () => lazySecrets.attester,
      programOptions: options.attesterOptions ?? [],
      ...(options.attesterProgram === undefined ? {} : { program: options.attesterProgram }),
    }),
    createCarriersPart({
      dataDir,
      log,
      progress,
      readSecrets: () => lazySecrets.carriers,
      ...(options.carriersProgram === undefined ? {} : { program: options.carriersProgram }),
    }),
  ];
};

const isReady = (dataDir: string, name: PartName): boolean =>
  readParts(dataDir).some((part) => part.name === name && part.ready && isAlive(part));

/** Resolves when the wanted parts run, whichever service started them. */
const becomeReady = async (
  dataDir: string,
  share: Share,
  { wants, signal, progress }: { wants: readonly PartName[]; signal: AbortSignal; progress(line: string): void },
): Promise<void> => {
  const allReady = () => wants.every((name) => isReady(dataDir, name));
  const begun = performance.now();
  let nextProgress = begun + PROGRESS_EVERY_MILLISECONDS;
  for (;;) {
    signal.throwIfAborted();
    await share.tick(wants);
    if (allReady()) return;
    if (performance.now() > nextProgress) {
      progress("Waiting for another Wayfare process to start the embedded parts");
      nextProgress += PROGRESS_EVERY_MILLISECONDS;
    }
    if (performance.now() - begun > WAIT_FOR_OTHERS_MILLISECONDS) {
      throw new EmbeddedError(
        `Another Wayfare process is using ${dataDir}, and its embedded parts are not becoming ready: see ${dataDir}/logs, stop that process, or set another DATA_DIR.`,
      );
    }
    await delay(100);
  }
};

/** Supervises the parts until it is aborted. */
const watch = async (share: Share, signal: AbortSignal, log: Log): Promise<void> => {
  while (!signal.aborted) {
    await delay(TICK_MILLISECONDS, undefined, { ref: false, signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await share.tick([]);
    } catch (error) {
      if (signal.aborted) return;
      log.error({ reason: errorText(error) }, "the embedded parts could not be looked after, trying again");
    }
  }
};
