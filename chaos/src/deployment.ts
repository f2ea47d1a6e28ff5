import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { type Operator, withIdentity } from "../../server/src/commands/open-database.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { administerScopes, EVERYTHING } from "../../server/src/domain/scopes.ts";
import { openVault } from "../../server/src/outside/vault.ts";
import { endProcesses, findProcesses, isRunning } from "./processes.ts";
import { ServiceProcess } from "./service-process.ts";
import { type Aim, aimAt } from "./victims.ts";

export const SERVICE = "service";
/** A separate process that also serves the edge host, or both. */
const EDGE = "edge";
const ACTOR = "chaos";

const Digits = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]+$/)]);
const Quickstart = z.object({
  appUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
  signingSecret: z.string(),
  supplierUrl: z.string(),
  internalToken: z.string(),
  chain: z.object({ rpcUrl: z.string(), chainId: z.int(), usdc: z.string(), eurc: z.string() }),
  payer: z.object({ address: Digits, privateKey: Digits }),
});
export type Quickstart = z.infer<typeof Quickstart>;
const PartsFile = z.object({ parts: z.array(z.object({ name: z.string(), pid: z.int(), ready: z.boolean() })) });
const Access = z.object({ user: z.string(), password: z.string(), port: z.int() });

/** A tenant's access data for callers. */
export interface TenantAccess {
  tenantId: string;
  apiKey: string;
  operatorKey: string;
  signingSecret: string;
}

type NewPerson = Parameters<Operator["persons"]["add"]>[1];

const OPERATOR: NewPerson = { id: "chaos_operator", name: "operator", email: "operator@example.com", roles: ["admin"] };

/** It does not come back, although nothing is killed any more. */
export class NotReadyError extends Error {}

interface DeploymentOptions {
  environment: Readonly<Record<string, string>>;
  /** Set: a second process serves the edge host, or both with `SERVE: "both"`, with these settings. */
  edge: Readonly<Record<string, string>> | undefined;
  /** The guard that the service does without; undefined: all are on. */
  broken: string | undefined;
  keep: boolean;
}

const POLL_MILLISECONDS = 50;
/** Only there to end a run that would wait for ever: on a machine under load a start takes half a minute. */
const READY_LIMIT_MILLISECONDS = 240_000;
const LAST_PROCESS_LIMIT_MILLISECONDS = 60_000;
/** Below those that a system hands out by itself: nobody gets one of them while its process is dead. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;
/** So many starts in a row that fail although nothing was killed, and the next one will not be better. */
const MOST_FAILED_STARTS = 3;

/** One service in a separate folder with its embedded parts: started, killed and started again as by an operator. */
export class Deployment {
  readonly dataDir: string;
  /** URLs of the edge host; the second one belongs to the separate process, if there is one. */
  readonly edgeUrls: readonly [string, ...string[]];
  /** URLs of the application host, likewise. */
  readonly appUrls: readonly [string, ...string[]];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #keep: boolean;
  readonly #service: ServiceProcess;
  readonly #edge: ServiceProcess | undefined;
  readonly #processes: readonly ServiceProcess[];
  /** Killed parts: they seem to run until their keeper has noticed. */
  readonly #kills = new Set<Aim>();
  /** Pools for queries of its databases, by URL, as a connection per query would cost more than the query. */
  readonly #pools = new Map<string, pg.Pool>();
  /** As long as work goes on that calls for it often. */
  #operator: Operator | undefined;
  #downSince: number | undefined;
  #longestOutageMilliseconds = 0;

  /** Starts it at once. The ports are fixed: callers have to find the service again after it was killed. */
  constructor(
    { environment, edge, broken, keep }: DeploymentOptions,
    ports: readonly [number, number, number, number],
  ) {
    const [port, edgePort, secondEdgePort, secondPort] = ports;
    const isWhole = edge?.SERVE === "both";
    const dataDir = mkdtempSync(join(realpathSync(tmpdir()), "wayfare-chaos-"));
    this.dataDir = dataDir;
    this.#keep = keep;
    this.#settings = {
      ...environment,
      DATA_DIR: dataDir,
      PORT: String(port),
      EDGE_PORT: String(edgePort),
      ...(edge === undefined ? {} : { PUBLIC_EDGE_URL: loopbackUrl(edgePort) }),
      ...(isWhole ? { PUBLIC_APP_URL: loopbackUrl(port) } : {}),
    };
    const start = (name: string, more: Readonly<Record<string, string>>, ownPort: number) =>
      new ServiceProcess({
        broken,
        environment: { ...this.#settings, ...more },
        url: loopbackUrl(ownPort),
        logFile: join(dataDir, `${name}.log`),
      });
    this.#service = start("service", {}, port);
    if (edge !== undefined) {
      const hosts = isWhole ? { PORT: String(secondPort) } : { SERVE: "edge" };
      this.#edge = start("edge", { ...edge, ...hosts, EDGE_PORT: String(secondEdgePort) }, secondEdgePort);
    }
    this.#processes = this.#edge === undefined ? [this.#service] : [this.#service, this.#edge];
    this.appUrls = isWhole ? [loopbackUrl(port), loopbackUrl(secondPort)] : [loopbackUrl(port)];
    this.edgeUrls = edge === undefined ? [loopbackUrl(edgePort)] : [loopbackUrl(edgePort), loopbackUrl(secondEdgePort)];
  }

  get starts(): number {
    return this.#processes.reduce((sum, { starts }) => sum + starts, 0);
  }

  /** Runs and starts of the service that ended although nothing was killed under them, with their last words. */
  get endedByItself(): readonly string[] {
    return this.#processes.flatMap(({ endedByItself }) => endedByItself);
  }

  /** Starts that gave up because a part was killed while they needed it; the next start is the operator's remedy. */
  get startsCutOff(): readonly string[] {
    return this.#processes.flatMap(({ startsCutOff }) => startsCutOff);
  }

  /** Longest time from a kill of anything to the service being ready again. */
  get longestOutageMilliseconds(): number {
    return this.#longestOutageMilliseconds;
  }

  /** Facts of the running service; there after the first `untilReady`. */
  quickstart(): Quickstart {
    return Quickstart.parse(JSON.parse(readFileSync(join(this.dataDir, "quickstart.json"), "utf8")));
  }

  /** Rejects with NotReadyError when it does not come back. */
  async untilReady(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_LIMIT_MILLISECONDS;
    // The parts too: a service that waits for one still answers that it is ready.
    while (!(await this.#areReady())) {
      signal.throwIfAborted();
      const hopeless = this.#processes.find(({ failedStarts }) => failedStarts >= MOST_FAILED_STARTS);
      if (hopeless !== undefined || performance.now() > deadline) {
        throw new NotReadyError(`The service does not come back: ${(hopeless ?? this.#service).lastLine()}`);
      }
      await delay(POLL_MILLISECONDS);
    }
    for (const one of this.#processes) one.resetFailedStarts();
    if (this.#downSince !== undefined) {
      this.#longestOutageMilliseconds = Math.max(this.#longestOutageMilliseconds, performance.now() - this.#downSince);
    }
    this.#downSince = undefined;
  }

  /**
   * Looks up `service`, `edge`, an embedded part or one of its processes (`victims.ts`); calling the result sends SIGKILL at once.
   * False: it was not running.
   */
  aim(name: string): () => boolean {
    const own = name === SERVICE ? this.#service : name === EDGE ? this.#edge : undefined;
    const victim = own ?? aimAt(name, readParts(this.dataDir), this.dataDir);
    return () => {
      this.#downSince ??= performance.now();
      for (const one of this.#processes) {
        one.resetFailedStarts();
        // A part started by one process is killed for the others, too.
        if (one !== own) one.partWasKilled();
      }
      const killed = victim.kill();
      if (killed && "isReplaced" in victim) this.#kills.add(victim);
      return killed;
    };
  }

  /**
   * Lets every process of the service die at its next notification about the topic, before the work that it is about. Returns the
   * names of those that did before the signal.
   */
  async dieWhenNotified(topic: string, signal: AbortSignal): Promise<readonly string[]> {
    const died = await Promise.all(
      this.#processes.map(async (one) => {
        if (!(await one.dieWhenNotified(topic, signal))) return [];
        this.#downSince ??= performance.now();
        return [one === this.#service ? SERVICE : EDGE];
      }),
    );
    return died.flat();
  }

  /** A later release takes the place of the running one, process by process. */
  async deploy(): Promise<void> {
    for (const one of this.#processes) await one.deploy();
  }

  query(text: string): Promise<Record<string, unknown>[]> {
    return this.#queryIn("wayfare", text);
  }

  /** Works while a transaction of the database is open that has made this statement, and then rolls it back. */
  async during<Result>(statement: string, work: () => Promise<Result>): Promise<Result> {
    const client = await this.#openPool("wayfare").connect();
    try {
      await client.query("begin");
      await client.query(statement);
      return await work();
    } finally {
      client.release(true);
    }
  }

  /** The same in the supplier sandbox's own database. */
  querySupplier(text: string): Promise<Record<string, unknown>[]> {
    return this.#queryIn("wayfare_sandbox", text);
  }

  async allowSpending(tenantId: string, microUsdc: bigint): Promise<void> {
    await this.#asOperator((identity) => identity.setTenant(tenantId, { monthlyCapMicroUsdc: microUsdc }, ACTOR));
  }

  /** By calendar month, of all keys together. */
  async limitSpending(tenantId: string, microUsdc: bigint): Promise<void> {
    await this.#asOperator(({ spending }) =>
      spending.spendLimits.set(tenantId, "sandbox", undefined, { perMonth: microUsdc }, ACTOR),
    );
  }

  createTenant(name: string): Promise<TenantAccess> {
    return this.#asOperator(async (operator) => {
      const { tenant, apiKey } = await operator.createTenant({ name, actor: ACTOR });
      const signingSecret = await operator.revealSigningSecret(tenant.id, ACTOR);
      if (signingSecret === undefined) throw new Error("A new tenant's signing secret was shown before.");
      const operatorKey = await mintPersonsKey(operator, tenant.id, OPERATOR, [EVERYTHING, ...administerScopes]);
      return { tenantId: tenant.id, apiKey, operatorKey, signingSecret };
    });
  }

  /** For the sandbox of the demo tenant, or of another one. Returns the person's own key. */
  addPerson(
    person: NewPerson,
    scopes: readonly string[],
    tenantId: string = this.quickstart().tenantId,
  ): Promise<string> {
    return this.#asOperator((operator) => mintPersonsKey(operator, tenantId, person, scopes));
  }

  /** With it, whoever plays the carriers in their simulator may arm its faults. */
  async carrierControlToken(): Promise<string> {
    return (await openVault(readConfig(this.#settings))).deriveKey("carrier simulator control");
  }

  /** SIGTERM. Returns what was wrong with the way it stopped. */
  async stop(): Promise<readonly string[]> {
    await this.#closePools();
    const problems = (await Promise.all(this.#processes.map((one) => one.stop()))).flat();
    // If two processes stop at once, the parts notice a moment later that nobody needs them.
    const deadline = performance.now() + LAST_PROCESS_LIMIT_MILLISECONDS;
    while (findProcesses(this.dataDir).length > 0 && performance.now() < deadline) await delay(250);
    const left = findProcesses(this.dataDir);
    if (left.length > 0) problems.push(`${left.length} of its processes were left running`);
    return problems;
  }

  /** Ends whatever is left, at once, and removes the folder unless it is kept. */
  async destroy(): Promise<void> {
    await Promise.all([this.#closePools(), ...this.#processes.map((one) => one.destroy())]);
    const deadline = performance.now() + LAST_PROCESS_LIMIT_MILLISECONDS;
    do {
      await endProcesses(this.dataDir);
    } while (!this.#keep && !this.#removeFolder() && performance.now() < deadline);
  }

  /** False: something still writes there, such as the making of a database, which starts programs one after the other. */
  #removeFolder(): boolean {
    try {
      rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      return !existsSync(this.dataDir);
    } catch {
      return false;
    }
  }

  /** Runs all operator's work in it over one connection. */
  async operating<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#asOperator(async (operator) => {
      this.#operator = operator;
      try {
        return await work();
      } finally {
        this.#operator = undefined;
      }
    });
  }

  #asOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
    if (this.#operator !== undefined) return work(this.#operator);
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    return withIdentity(readConfig(this.#settings), { log: quiet, progress: () => undefined }, work);
  }

  async #areReady(): Promise<boolean> {
    for (const one of this.#processes) if (!(await one.isReady())) return false;
    const parts = readParts(this.dataDir);
    for (const one of this.#kills) if (one.isReplaced(parts)) this.#kills.delete(one);
    if (this.#kills.size > 0) return false;
    return parts.length > 0 && parts.every(({ pid, ready }) => ready && isRunning(pid, this.dataDir));
  }

  async #queryIn(database: string, text: string): Promise<Record<string, unknown>[]> {
    return (await this.#openPool(database).query<Record<string, unknown>>(text)).rows;
  }

  #openPool(database: string): pg.Pool {
    const { user, password, port } = Access.parse(
      JSON.parse(readFileSync(join(this.dataDir, "postgres", "access.json"), "utf8")),
    );
    const url = `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    const pool = this.#pools.get(url) ?? openPool(url);
    this.#pools.set(url, pool);
    return pool;
  }

  async #closePools(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

export const createDeployment = async (options: DeploymentOptions): Promise<Deployment> =>
  new Deployment(options, await findFreePorts());

/** A connection that was killed with its server leaves it by itself. */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on("error", () => undefined);
  return pool;
}

async function mintPersonsKey(
  { persons, mintKey }: Operator,
  tenantId: string,
  person: NewPerson,
  scopes: readonly string[],
): Promise<string> {
  await persons.add({ tenantId, environment: "sandbox" }, person, ACTOR);
  const key = { tenantId, environment: "sandbox", personId: person.id, scopes, actor: ACTOR } as const;
  return (await mintKey(key)).apiKey;
}

const loopbackUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** None before the first start, and while the file is being written for the first time. */
function readParts(dataDir: string): z.infer<typeof PartsFile>["parts"] {
  try {
    return PartsFile.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"))).parts;
  } catch {
    return [];
  }
}

/** All of them are held until all are found, so that no two are the same. */
async function findFreePorts(): Promise<[number, number, number, number]> {
  const held: Server[] = [];
  const find = async (): Promise<number> => {
    for (;;) {
      const port = randomInt(FIRST_PORT, LAST_PORT);
      const server = createServer();
      try {
        await once(server.listen({ port, host: "127.0.0.1", exclusive: true }), "listening");
        held.push(server);
        return port;
      } catch {
        // Somebody's: another one.
      }
    }
  };
  try {
    return [await find(), await find(), await find(), await find()];
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
