import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bindTestChain } from "../../test/support/deposits.ts";
import { silentLog } from "../../test/support/identity.ts";
import { programAt } from "../../test/support/programs.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.ts";
import { createVault } from "../adapters/vault.ts";
import { readConfig } from "../config/config.ts";
import { createStores } from "../contributions.ts";
import { readMasterKey } from "../embedded/master-key.ts";
import { mint } from "../modules/chain/development/mint-operation.ts";
import { createBoundChains } from "../modules/chain/opening/store-bound-chains.ts";
import { createChainTransactions } from "../modules/chain/sending/store-transactions.ts";
import { createIdentity } from "../modules/identity/identity.ts";
import { openDatabase } from "../platform/database/database.ts";
import { systemClock } from "../ports/clock.ts";
import { type Program, runProgram } from "./command-line.ts";
import { keyProgram } from "./key.ts";
import { type Operator, operatorParts, withIdentity } from "./open-database.ts";
import { tenantProgram } from "./tenant.ts";

// Some start many processes in sequence.
vi.setConfig({ testTimeout: 240_000 });

const quiet = { log: silentLog, progress: () => undefined };

interface Outcome {
  code: number;
  out: string;
  error: string;
}

function run(
  program: "tenant" | "key",
  args: readonly string[],
  environment: Record<string, string>,
): Promise<Outcome> {
  return new Promise((done) => {
    const { PATH = "", NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, ...environment };
    execFile(
      process.execPath,
      [programAt(`server/src/commands/${program}.ts`), ...args],
      { env },
      (error, out, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        done({ code, out, error: stderr });
      },
    );
  });
}

describe("the operator's commands", () => {
  let dataDir: string;
  let database: TestDatabase;
  let environment: Record<string, string>;
  let service: ReturnType<typeof openService>;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "wayfare commands "));
    database = await createTestDatabase();
    environment = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    // The first command prepares the database; the service starts after it.
    expect(await run("tenant", ["list", "--json"], environment)).toEqual({
      code: 0,
      out: '{\n  "tenants": []\n}\n',
      error: "",
    });
    service = openService();
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });
  /** Runs the program inside this process, over the service's identity, which is much faster than spawning it. */
  const call = async (
    program: Program<Operator>,
    args: readonly string[],
    open: Parameters<typeof runProgram<Operator>>[3] = (work) => work(service.operator),
  ): Promise<Outcome> => {
    const outcome = { code: 0, out: "", error: "" };
    const output = {
      out(text: string) {
        outcome.out += text;
      },
      error(text: string) {
        outcome.error += text;
      },
    };
    outcome.code = await runProgram(program, args, output, open);
    return outcome;
  };
  const tenant = (...args: string[]) => call(tenantProgram, args);
  const key = (...args: string[]) => call(keyProgram, args);
  const createTenant = async (...args: string[]) => {
    const { code, out, error } = await tenant("create", "--json", ...args);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    return JSON.parse(out);
  };

  /** The parts that the service would open on the same database and DATA_DIR. */
  function openService() {
    const { db, pool, close } = openDatabase(database.url, { poolSize: 2, onError: () => undefined });
    const vault = createVault(readMasterKey({ masterKeyFile: undefined, dataDir, production: false }));
    const options = { db, pool, databaseUrl: database.url, vault, clock: systemClock, log: silentLog };
    const identity = createIdentity({ ...options, networkMode: "production" });
    const stores = createStores(db, systemClock, vault);
    return {
      db,
      operator: { ...identity, ...operatorParts(stores, systemClock), appUrl: "https://wayfare.example" },
      async close() {
        await identity.close();
        await close();
      },
    };
  }

  test("create a tenant and a key and revoke the key, as processes beside a running service", async () => {
    const spawned = async (program: "tenant" | "key", ...args: string[]) => {
      const { code, out, error } = await run(program, [...args, "--json"], environment);
      expect({ code, error }).toEqual({ code: 0, error: "" });
      return JSON.parse(out);
    };
    await service.operator.ready();
    const seen = (apiKey: string) => service.operator.authenticate(apiKey, { fresh: false });
    const created = await spawned("tenant", "create", "--name", "Ac me", "--plan", "pro", "--cap", "250.5");
    const { id } = created.tenant;
    expect(created.tenant).toMatchObject({ name: "Ac me", plan: "pro", monthlyCapUsdc: "250.50", demo: false });
    expect(created.key).toMatchObject({ environment: "sandbox", scopes: ["*"], expiresAt: null });
    expect((await seen(created.apiKey))?.plan).toBe("pro");

    const expires = "2099-01-01T00:00:00Z";
    const options = ["--environment", "production", "--scopes", "flights:read, usage:read", "--expires", expires];
    const minted = await spawned("key", "mint", "--tenant", id, "--name", "ci", ...options);
    expect(minted.key).toMatchObject({ name: "ci", scopes: ["flights:read", "usage:read"], expiresAt: expires });
    expect(await seen(minted.apiKey)).toMatchObject({
      environment: "production",
      scopes: ["flights:read", "usage:read"],
    });

    const here = async (run: typeof tenant, ...args: string[]) => {
      const { code, out, error } = await run(...args, "--json");
      expect({ code, error }).toEqual({ code: 0, error: "" });
      return JSON.parse(out);
    };
    await spawned("tenant", "set", id, "--plan", "enterprise", "--cap", "0.000001", "--name", "Renamed");
    await expect.poll(async () => (await seen(minted.apiKey))?.plan).toBe("enterprise");
    expect(await service.operator.getTenant(id)).toMatchObject({ name: "Renamed", monthlyCapMicroUsdc: 1n });

    const production = async () => (await seen(minted.apiKey))?.environment;
    expect((await here(tenant, "network", id, "beta")).tenant).toMatchObject({ id, network: "beta" });
    await expect.poll(production).toBe("sandbox");
    await here(tenant, "network", id, "live");
    await expect.poll(production).toBe("production");
    expect(await here(tenant, "link-origins", id, "--add", "https://Trips.Example/")).toEqual({
      tenantId: id,
      linkOrigins: ["https://trips.example"],
    });

    expect(await spawned("key", "revoke", "--tenant", id, minted.key.id)).toEqual({
      keyId: minted.key.id,
      revoked: true,
    });
    await expect.poll(() => seen(minted.apiKey)).toBeUndefined();
    expect(await seen(created.apiKey)).toBeDefined();
    const { keys } = JSON.parse((await key("list", "--tenant", id, "--json")).out);
    expect(keys.map(({ revokedAt }: { revokedAt: unknown }) => revokedAt !== null)).toEqual([false, true]);
    const told = service.db.selectFrom("auditLog").select(["action", "program"]).where("actor", "=", "command");
    expect((await told.execute()).map(({ action, program }) => `${action} by ${program}`)).toEqual([
      "tenant.create by command",
      "key.mint by command",
      "key.mint by command",
      "tenant.set by command",
      "tenant.set by command",
      "tenant.set by command",
      "tenant.link_origins by command",
      "key.revoke by command",
    ]);
  });

  test("set spending limits of a key and a tenant, in one environment or both, and show the rest", async () => {
    const { tenant: made, key: own } = await createTenant("--name", "Limited");
    const limits = [
      "--per-call",
      "400",
      "--per-day",
      "1000.5",
      "--recipients",
      `0x${"Ab".repeat(20)}`,
      "--tools",
      "send_tokens",
    ];
    const set = await key("limits", "--tenant", made.id, own.id, ...limits, "--environment", "production", "--json");
    expect(set.error).toBe("");
    const [first, ...others] = JSON.parse(set.out).limits;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      environment: "production",
      perCallUsdc: "400.00",
      perDay: { limitUsdc: "1000.50", usedUsdc: "0.00", reservedUsdc: "0.00", leftUsdc: "1000.50" },
      perMonth: { limitUsdc: null, leftUsdc: null },
      recipients: [`0x${"ab".repeat(20)}`],
      tools: ["send_tokens"],
    });
    expect((await tenant("limits", made.id, "--per-month", "20000")).out).toMatch(
      /sandbox[\s\S]*20000\.00 USDC; 0\.00 used[\s\S]*production/,
    );
    await key("limits", "--tenant", made.id, own.id, "--tools", "none");
    const shown = JSON.parse((await key("limits", "--tenant", made.id, own.id, "--json")).out).limits;
    expect(shown).toMatchObject([
      { environment: "sandbox", perCallUsdc: null, tools: null },
      { environment: "production", perCallUsdc: "400.00", tools: null },
    ]);
    const lines = await service.db
      .selectFrom("auditLog")
      .select(["action", "details"])
      .where("tenantId", "=", made.id)
      .execute();
    const audited = lines.filter(({ action }) => action.endsWith(".limits"));
    expect(audited.map(({ action }) => action)).toEqual([
      "key.limits",
      "tenant.limits",
      "tenant.limits",
      "key.limits",
      "key.limits",
    ]);
    expect(audited.at(-1)?.details).toMatchObject({ before: { tools: ["send_tokens"] }, after: { tools: null } });
    const wrong = await key("limits", "--tenant", made.id, own.id, "--tools", "send_token");
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining("Did you mean send_tokens?") });
  });

  test("show a signing secret once, and rotate it", async () => {
    const { tenant: made, apiKey } = await createTenant("--name", "Signed");
    const first = await tenant("signing-secret", made.id);
    const [secret] = first.out.match(/whsec_[0-9a-f]{64}/) ?? [];
    expect(first.out).toContain("shown only this once");
    const again = await tenant("signing-secret", made.id);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.error).toContain("--rotate");
    const rotated = JSON.parse((await tenant("signing-secret", made.id, "--rotate", "--json")).out).signingSecret;
    expect(rotated).not.toBe(secret);
    expect((await service.operator.authenticate(apiKey, { fresh: true }))?.signingSecret).toBe(rotated);
  });

  test("explain that a key is shown once, and never show it again", async () => {
    const created = await tenant("create", "--name", "People");
    const [apiKey = "none"] = created.out.match(/ak_[0-9A-Za-z]{40}/) ?? [];
    const [tenantId = "none"] = created.out.match(/tenant_[0-9A-Z]{26}/) ?? [];
    expect(created.out).toContain("shown only this once");
    const list = await key("list", "--tenant", tenantId);
    expect(list.out).toContain(`${apiKey.slice(0, 8)}…`);
    expect(list.out).toMatch(/^ID +KEY +NAME +ENVIRONMENT +STATE/);
    expect(list.out).not.toContain(apiKey);
    expect((await key("list", "--tenant", tenantId, "--json")).out).not.toContain(apiKey);
    expect((await tenant("list")).out).toContain("People");
  });

  const wrongCalls: [Program<Operator>, string[], RegExp][] = [
    [tenantProgram, [], /npm run tenant -- create/],
    [tenantProgram, ["creat"], /Unknown command creat\. Did you mean create\?/],
    [tenantProgram, ["create"], /--name is missing/],
    [tenantProgram, ["create", "--nam", "x"], /Unknown option --nam\. Did you mean --name\?/],
    [tenantProgram, ["create", "--name"], /--name needs a value/],
    [tenantProgram, ["create", "--name", "--plan", "pro"], /--name needs a value/],
    [tenantProgram, ["create", "--name", "a", "--name", "b"], /given twice/],
    [tenantProgram, ["create", "Acme"], /Options come after "--": npm run tenant -- create/],
    [tenantProgram, ["create", "--name", "x", "--plan", "gold"], /--plan must be one of free, pro, enterprise/],
    [tenantProgram, ["create", "--name", "x", "--cap", "1e3"], /--cap must be an amount/],
    [tenantProgram, ["create", "--name", "x", "--cap", "-1"], /--cap must be an amount/],
    [tenantProgram, ["create", "--name", "x", "--cap", "1.1234567"], /--cap must be an amount/],
    [tenantProgram, ["network", "tenant_none", "test"], /The network must be beta or live/],
    [tenantProgram, ["link-origins", "tenant_1"], /one of --list, --add and --remove/],
    [tenantProgram, ["link-origins", "tenant_1", "--list", "--add", "https://a.example"], /one of --list/],
    [tenantProgram, ["create", "--name", " "], /name: must be 1 to 100 characters/],
    [tenantProgram, ["create", "--name", "x", "--cap", "9".repeat(20)], /monthlyCapMicroUsdc/],
    [tenantProgram, ["set", "tenant_1"], /Nothing to change/],
    [tenantProgram, ["set", "--plan", "pro"], /<tenantId> is missing/],
    [tenantProgram, ["signing-secret"], /<tenantId> is missing/],
    [keyProgram, ["mint"], /--tenant is missing/],
    [keyProgram, ["mint", "--tenant", "t", "--environment", "live"], /sandbox or production/],
    [keyProgram, ["mint", "--tenant", "t", "--expires", "tomorrow"], /--expires must be a time/],
    [keyProgram, ["mint", "--tenant", "t", "--expires", "2027-01-01"], /--expires must be a time/],
    [keyProgram, ["revoke", "--tenant", "t"], /<keyId> is missing/],
    [keyProgram, ["list", "--json=yes", "--tenant", "t"], /--json takes no value/],
  ];
  test.each(wrongCalls)("npm run $name -- %j is refused with the correct usage", async (program, args, message) => {
    const { code, out, error } = await call(program, args);
    expect(error).toMatch(message);
    expect(error).not.toMatch(/\n\s+at /);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test("refuse to mint invalid keys", async () => {
    const { tenant: made } = await createTenant("--name", "Strict");
    const unknown = await key("mint", "--tenant", made.id, "--scopes", "flights:raed");
    expect(unknown.code).toBe(2);
    expect(unknown.error).toMatch(/unknown scope "flights:raed"\. Known scopes: .*flights:read/);
    const past = await key("mint", "--tenant", made.id, "--expires", "2020-01-01T00:00:00Z");
    expect(past).toMatchObject({ code: 2, out: "" });
    expect(past.error).toContain("must be in the future");
    expect(JSON.parse((await key("list", "--tenant", made.id, "--json")).out).keys).toHaveLength(1);
  });

  test("fail with one line when there is nothing to work on", async () => {
    const listOn = (settings: Record<string, string>) =>
      call(tenantProgram, ["list"], async (work) => await withIdentity(readConfig(settings), quiet, work));
    const failures = [
      await tenant("set", "tenant_none", "--plan", "pro"),
      await tenant("signing-secret", "tenant_none"),
      await tenant("link-origins", "tenant_none", "--list"),
      await tenant("link-origins", "tenant_none", "--add", "https://a.example"),
      await key("mint", "--tenant", "tenant_none"),
      await key("list", "--tenant", "tenant_none"),
      await key("revoke", "--tenant", "tenant_none", "key_none"),
      await run("tenant", ["list"], { ...environment, DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/none" }),
      await listOn({ ...environment, NETWORK_MODE: "production" }),
      await listOn({ ...environment, MASTER_KEY_FILE: join(dataDir, "absent") }),
    ];
    for (const { code, out, error } of failures) {
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(error).toMatch(/^[^\n]+\n$/);
      expect(error).not.toContain("hidden");
    }
  });

  test("exit with 2 on wrong usage, with a message on standard error", async () => {
    const outcome = await run("key", ["mint", "--tenannt", "x"], environment);
    expect(outcome).toEqual({
      code: 2,
      out: "",
      error: "Unknown option --tenannt. Did you mean --tenant?\nHelp: npm run key -- --help\n",
    });
  });

  test("explain themselves", async () => {
    for (const program of [tenantProgram, keyProgram]) {
      const { code, out, error } = await call(program, ["--help"]);
      expect({ code, error }).toEqual({ code: 0, error: "" });
      expect(out).toContain(`npm run ${program.name} -- list`);
    }
    expect((await tenant("create", "--help")).out).toContain("--name <name>");
    expect((await key("--help")).out).toContain("travelers:read");
  });

  test("a new tenant can spend its sandbox balance however it was created", async () => {
    const home = await bindTestChain({ boundChains: createBoundChains(service.db, systemClock) });
    const withBalance = { ...environment, SANDBOX_BALANCE_USDC: "12.5" };
    const { out } = await run("tenant", ["create", "--name", "Funded", "--json"], withBalance);
    const tenantId = JSON.parse(out).tenant.id;
    const open = await createChainTransactions(service.db, systemClock).listOpen(home, 100);
    const minted = open.flatMap(({ tenantId: owner, operation }) => {
      const made = mint.read(operation);
      return owner === tenantId && made !== undefined ? [[made.token, made.amount]] : [];
    });
    expect(minted).toEqual([
      ["USDC", 12_500_000n],
      ["EURC", 12_500_000n],
    ]);
  });
});

test("without DATABASE_URL the embedded database is started, kept for the next time, and stopped", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "wayfare embedded "));
  try {
    // Interrupted: the command ends its work and leaves nothing running.
    const child = spawn(
      process.execPath,
      [programAt("server/src/commands/tenant.ts"), "create", "--name", "First", "--json"],
      {
        env: { PATH: process.env.PATH ?? "", DATA_DIR: dataDir },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let [out, error] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += String(chunk);
    });
    child.stderr.on("data", (chunk) => {
      // At its first line of progress the database is being created.
      if (error === "") child.kill("SIGINT");
      error += String(chunk);
    });
    await once(child, "close");
    expect(child.exitCode).toBe(0);
    const created = JSON.parse(out);
    const listed = await run("tenant", ["list", "--json"], { DATA_DIR: dataDir });
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.out).tenants).toEqual([created.tenant]);
    const parts = readFileSync(join(dataDir, "parts.json"), "utf8");
    for (const pid of [...parts.matchAll(/"pid": (\d+)/g)].map((match) => Number(match[1]))) {
      expect(() => process.kill(pid, 0)).toThrow();
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
