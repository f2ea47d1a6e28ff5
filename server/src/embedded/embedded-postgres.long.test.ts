import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createFixture, type Fixture, query, type TestService, until } from "../../test/support/embedded-fixture.ts";
import { isAlive } from "./process-identity.ts";

// Each starts a database several times.
vi.setConfig({ testTimeout: 240_000 });

const readMode = (path: string) => statSync(path).mode & 0o777;
const settle = async (url: string | undefined) => {
  await query(url, "create table acknowledged (id int primary key)");
  await query(url, "insert into acknowledged select generate_series(1, 100)");
};
const countAcknowledged = async (url: string | undefined) =>
  (await query(url, "select count(*)::int as rows from acknowledged"))[0]?.rows;

/** On one folder, from one failure to the next: each test continues from the state that the one before has left. */
describe("a database in use", () => {
  let used: Fixture;
  let service: TestService;
  let databaseUrl: string | undefined;
  const folder = () => join(used.dataDir, "postgres");

  beforeAll(() => {
    used = createFixture();
  });
  afterAll(() => used.cleanUp());

  /** Starts on the folder as it is; all acknowledged data is there. */
  async function startAgain(): Promise<void> {
    service = used.start();
    expect((await service.started).databaseUrl).toBe(databaseUrl);
    expect(await countAcknowledged(databaseUrl)).toBe(100);
  }

  test("a first start creates a private, durable, checksummed server; a stop leaves nothing; a later start finds the data", async () => {
    const first = used.start();
    databaseUrl = (await first.started).databaseUrl;
    const settings = await query(
      databaseUrl,
      `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit',
       'data_checksums', 'listen_addresses', 'unix_socket_directories', 'password_encryption', 'server_encoding', 'wal_sync_method') order by 1`,
    );
    expect(settings.map(({ name, setting }) => `${name}=${setting}`)).toEqual([
      "data_checksums=on",
      "fsync=on",
      "full_page_writes=on",
      "listen_addresses=127.0.0.1",
      "password_encryption=scram-sha-256",
      "server_encoding=UTF8",
      "synchronous_commit=on",
      "unix_socket_directories=",
      "wal_sync_method=open_datasync",
    ]);
    expect(await query(databaseUrl, "select lower('ÄÉ') as low")).toEqual([{ low: "äé" }]);
    const wrong = new URL(databaseUrl ?? "");
    wrong.password = "password";
    await expect(query(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });

    const running = await used.part("postgres");
    expect(readFileSync(join(used.dataDir, "parts.json"), "utf8")).not.toContain(new URL(databaseUrl ?? "").password);
    expect(readMode(used.dataDir)).toBe(0o700);
    for (const file of ["parts.json", "postgres/access.json", "logs/postgres.log"]) {
      expect([file, readMode(join(used.dataDir, file))]).toEqual([file, 0o600]);
    }
    await settle(databaseUrl);
    expect(await used.stop(first)).toBe(0);
    expect(isAlive(running)).toBe(false);
    expect(used.readPartsFile()).toMatchObject({ owner: null, parts: [] });
    expect(readdirSync(join(used.dataDir, "postgres")).sort()).toEqual(["access.json", "data"]);

    await startAgain();
  });

  test("after a kill of the service the next start adopts the running server", async () => {
    const running = await used.part("postgres");
    await used.kill(service);
    expect(isAlive(running)).toBe(true);
    await startAgain();
    expect((await used.part("postgres")).pid).toBe(running.pid);
  });

  test("a killed server is restarted on its port with all acknowledged data", async () => {
    const running = await used.part("postgres");
    process.kill(running.pid, "SIGKILL");
    const again = await until(async () => {
      const part = await used.part("postgres");
      return part.pid === running.pid ? undefined : part;
    });
    expect(again.port).toBe(running.port);
    expect(await countAcknowledged(databaseUrl)).toBe(100);
  });

  test.runIf(process.platform === "linux")(
    "what outlives a killed server does not keep the next one from starting",
    async () => {
      const server = await used.part("postgres");
      const [child] = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")
        .trim()
        .split(" ")
        .map(Number);
      if (child === undefined) throw new Error("The server has no processes of its own.");
      // It neither notices that the server is gone nor releases its memory.
      process.kill(child, "SIGSTOP");
      try {
        process.kill(server.pid, "SIGKILL");
        await until(async () => ((await used.part("postgres")).pid === server.pid ? undefined : true));
        expect(await until(() => countAcknowledged(databaseUrl))).toBe(100);
      } finally {
        try {
          process.kill(child, "SIGKILL");
        } catch {
          // It was ended, as required.
        }
      }
    },
  );

  test("after a kill of both the service and the server the next start recovers", async () => {
    process.kill((await used.part("postgres")).pid, "SIGKILL");
    await used.kill(service);
    await startAgain();
  });

  test("a stopped server that hangs is replaced by the next start", async () => {
    const running = await used.part("postgres");
    await used.kill(service);
    process.kill(running.pid, "SIGSTOP");
    await startAgain();
    expect((await used.part("postgres")).pid).not.toBe(running.pid);
  });

  test("a lock file that names a zombie, or another process, does not prevent the start", async () => {
    const lockFile = join(folder(), "data", "postmaster.pid");
    const lines = readFileSync(lockFile, "utf8").split("\n");
    expect(await used.stop(service)).toBe(0);
    // The shell becomes `sleep`, which never reaps the child that it inherits. It belongs to the server's user, as PostgreSQL
    // ignores other users' processes.
    const { uid, gid } = statSync(join(folder(), "data"));
    const parent = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 600"], {
      cwd: "/",
      uid,
      gid,
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [output] = await once(parent.stdout, "data");
      const zombie = Number(String(output).trim());
      await until(() => readFileSync(`/proc/${zombie}/stat`, "utf8").includes(") Z "));
      for (const pid of [zombie, parent.pid]) {
        writeFileSync(lockFile, [pid, ...lines.slice(1)].join("\n"), { mode: 0o600 });
        service = used.start();
        expect((await service.started).databaseUrl).toBe(databaseUrl);
        expect(await countAcknowledged(databaseUrl)).toBe(100);
        expect(await used.stop(service)).toBe(0);
      }
    } finally {
      parent.kill("SIGKILL");
    }
  });

  test("a taken port moves the first start to another one", async () => {
    const squatter = createServer().listen(Number(new URL(databaseUrl ?? "").port), "127.0.0.1");
    await once(squatter, "listening");
    service = used.start();
    const after = await service.started;
    expect(after.databaseUrl).not.toBe(databaseUrl);
    expect(await countAcknowledged(after.databaseUrl)).toBe(100);
    expect(await used.stop(service)).toBe(0);
    squatter.close();
  });

  test("a damaged data folder or a lost password is one clear line, and nothing keeps running", async () => {
    writeFileSync(join(folder(), "data", "PG_VERSION"), "11\n");
    service = used.start();
    const { failed } = await service.started;
    expect(failed).toMatch(
      /^PostgreSQL does not start on .* \(.*\): fix that, restore the folder from a copy, or set DATABASE_URL\.$/,
    );
    expect(await service.ended).toBe(1);
    expect(used.readPartsFile()).toMatchObject({ owner: null, parts: [] });
    writeFileSync(join(folder(), "access.json"), "{}");
    expect((await used.start().started).failed).toMatch(/access\.json is missing or damaged/);
  });
});

describe("an interrupted first start", () => {
  let fixture: Fixture;
  beforeEach(() => {
    fixture = createFixture();
  });
  afterEach(() => fixture.cleanUp());

  test("a kill of the service while it creates the database: the next start creates it", async () => {
    const beginAndKill = async (): Promise<void> => {
      const first = fixture.start();
      await first.line(({ progress }) => progress !== undefined);
      await until(() => readdirSync(join(fixture.dataDir, "postgres")).some((name) => /^(draft-|data$)/.test(name)));
      await fixture.kill(first);
    };
    // Sometimes it finishes before the kill: then in another folder.
    for (await beginAndKill(); existsSync(join(fixture.dataDir, "postgres", "data")); await beginAndKill()) {
      await fixture.cleanUp();
      fixture = createFixture();
    }
    const second = fixture.start();
    const { databaseUrl } = await second.started;
    expect(await query(databaseUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("a stop during a start ends what was started", async () => {
    const beginAndStop = async () => {
      const service = fixture.start();
      await service.line(({ progress }) => progress !== undefined);
      return { service, code: await fixture.stop(service) };
    };
    let stopped = await beginAndStop();
    // Sometimes it is ready before the stop: then in another folder.
    while (stopped.service.lines.some(({ ready }) => ready)) {
      expect(stopped.code).toBe(0);
      await fixture.cleanUp();
      fixture = createFixture();
      stopped = await beginAndStop();
    }
    expect(stopped.code).toBe(1);
    expect(stopped.service.lines.at(-1)).toMatchObject({ failed: "stopped while starting" });
    expect(fixture.readPartsFile().parts).toEqual([]);
  });
});
