import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { createOperator, type Operator } from "../../src/commands/open-database.ts";
import { type AppOptions, startApp } from "../../src/compose.ts";
import { type Config, readConfig } from "../../src/config/config.ts";
import { EVERYTHING, personalScopes } from "../../src/domain/scopes.ts";
import { openVault } from "../../src/outside/vault.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Environment } from "../../src/ports/identity.ts";
import { partPrograms } from "./programs.ts";
import { createMigratedDatabase } from "./test-database.ts";

const Quickstart = z.object({
  appUrl: z.string(),
  edgeUrl: z.string(),
  tenantId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
  signingSecret: z.string(),
  internalToken: z.string(),
  supplierUrl: z.string(),
});

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // Tests look into different members; expectations tell which must be there.
  body: Record<string, unknown>;
}

export interface CallOptions {
  key?: string;
  tenantId?: string;
  userId?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Opened once for all that a product's tests do as the operator: a command's own connections cost more than its work. */
async function openOperator(config: Config, databaseUrl: string) {
  const vault = await openVault(config);
  const database = openDatabase(databaseUrl, { poolSize: 4, onError: () => undefined });
  const opened = { ...database, databaseUrl, vault, clock: systemClock };
  const operator = createOperator(opened, config, silent);
  return {
    operator,
    async close() {
      await operator.close();
      await database.close();
    },
  };
}

/** The whole product on a separate database, with the supplier sandbox beside it. */
export async function startProduct(environment: Readonly<Record<string, string>> = {}, options: AppOptions = {}) {
  const database = await createMigratedDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "wayfare-service-"));
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: "0",
    EDGE_PORT: "0",
    LOG_LEVEL: "fatal",
    // Each connection costs PostgreSQL a process, which reads the catalog and makes its plans for itself.
    DATABASE_POOL_SIZE: "4",
    // Amounts of stays are compared with the ledger; currencies.test.ts has them local.
    SANDBOX_STAYS_IN: "account",
    // The default suits clients: a busy machine may need longer.
    SCAN_TIMEOUT_SECONDS: "170",
    RATE_LIMIT_PER_SECOND: "100000",
    RATE_LIMIT_BURST: "100000",
    REFUSED_KEYS_PER_MINUTE: "100000",
    UNSETTLED_PER_PAYER_MINUTE: "100000",
    UNSETTLED_PER_ADDRESS_MINUTE: "100000",
    ...environment,
  });
  const app = await startApp(config, { ...partPrograms(), ...options });
  const quickstartFile = join(dataDir, "quickstart.json");
  const quickstart = Quickstart.parse(JSON.parse(readFileSync(quickstartFile, "utf8")));
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  let operating: ReturnType<typeof openOperator> | undefined;
  return {
    app,
    config,
    dataDir,
    pool,
    quickstart,
    quickstartFile,
    /** The operator's side, as the commands have it. */
    async operator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
      operating ??= openOperator(config, database.url);
      return await work((await operating).operator);
    },
    async stop() {
      await app.stop();
      await (await operating)?.close();
      await pool.end();
      await dropSandboxDatabase(database.url);
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

export type Product = Awaited<ReturnType<typeof startProduct>>;
export type Tenant = Pick<z.infer<typeof Quickstart>, "tenantId" | "apiKey" | "operatorKey" | "signingSecret"> & {
  /** The product's `quickstart.json` for this tenant. */
  quickstartFile: string;
};

/** A product as one tenant reaches it over HTTP, like anybody would. */
export function openService({ app, config, dataDir, pool, quickstart, operator }: Product, tenant: Tenant) {
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${quickstart.appUrl}${path}`, init);
    const text = await response.text();
    let body: Record<string, unknown> | undefined;
    return {
      status: response.status,
      headers: response.headers,
      text,
      /** Parsed when first read: lists of all tools are long, and many tests look at status and text only. */
      get body() {
        body ??= parseObject(text);
        return body;
      },
    };
  }

  return {
    ...quickstart,
    ...tenant,
    app,
    config,
    dataDir,
    operator,
    send,
    /** One call over dispatch. */
    call: (tool: string, args: unknown, options: CallOptions = {}): Promise<Answer> =>
      send("/api/agent/dispatch", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${options.key ?? tenant.apiKey}`,
          ...options.headers,
        },
        body: JSON.stringify({
          tenantId: options.tenantId ?? tenant.tenantId,
          tool,
          args,
          ...(options.userId === undefined ? {} : { userId: options.userId }),
        }),
      }),
    /** A new tenant's money is minted by a separate transaction, which takes a moment. */
    async isFunded(tenantId: string): Promise<void> {
      const text = "select 1 from ledger_account where kind = 'prefunded' and tenant_id = $1 and balance_micro > 0";
      for (;;) {
        const { rowCount } = await pool.query(text, [tenantId]);
        if ((rowCount ?? 0) >= 2) return;
        await delay(20);
      }
    },
    /** A look behind the scenes, for what no surface shows. */
    async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
      const { rows } = await pool.query<Record<string, unknown>>(text, values);
      return rows;
    },
  };
}

/** A product of the caller's own, as its demo tenant has it: for tests that shared-service.ts does not fit. */
export async function startTestService(environment: Readonly<Record<string, string>> = {}, options: AppOptions = {}) {
  const product = await startProduct(environment, options);
  const { quickstart, quickstartFile } = product;
  return { ...openService(product, { ...quickstart, quickstartFile }), [Symbol.asyncDispose]: product.stop };
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** A key like `operatorKey` of `quickstart.json`, of a person who is asked for no approval and reminded of none. */
export async function mintOperatorKey(
  { persons, mintKey }: Operator,
  tenantId: string,
  environment: Environment = "sandbox",
): Promise<string> {
  const owner = { tenantId, environment };
  const person = { id: "user_test_operator", name: "Operator", email: "operator@example.com" };
  await persons.add(owner, { ...person, roles: ["traveler"] }, "test");
  const scopes = [EVERYTHING, ...personalScopes];
  return (await mintKey({ tenantId, environment, personId: person.id, scopes, actor: "test" })).apiKey;
}

/** The sandbox keeps its books in a database beside the service's. */
export async function dropSandboxDatabase(url: string): Promise<void> {
  const name = `${new URL(url).pathname.slice(1)}_sandbox`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether `x-service-sig` is the secret's signature of this very answer. */
export function isSignedBy(answer: Answer, secret: string): boolean {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(answer.headers.get("x-service-sig") ?? "");
  const traceId = answer.headers.get("x-service-trace-id");
  const mac = createHmac("sha256", secret).update(`${match?.[1]}.${traceId}.${answer.text}`).digest("hex");
  return match?.[2] === mac;
}
