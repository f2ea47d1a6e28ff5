import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { partPrograms, programAt } from "../../../../test/support/programs.ts";
import { startApp } from "../../../compose.ts";
import { readConfig } from "../../../config/config.ts";
import { isAlive } from "../../../embedded/process-identity.ts";

/** `npm run chain` as a process, beside a service with embedded parts, and after the service has ended. */
const program = programAt("server/src/commands/chain.ts");
const Parts = z.object({ parts: z.array(z.object({ name: z.string(), pid: z.number(), startTime: z.string() })) });
const Status = z.object({
  answers: z.boolean(),
  genesisHash: z.string(),
  stoppedBecause: z.string().nullable(),
  difference: z.object({ usdc: z.string(), eurc: z.string() }).nullable(),
  wallets: z.array(z.object({ kind: z.string(), address: z.string(), gas: z.string().nullable() })),
  openTransactions: z.object({ queued: z.number(), signed: z.number() }),
});

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(realpathSync(tmpdir()), "wayfare chain command "));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  return new Promise((done) => {
    const { PATH = "", NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir };
    execFile(process.execPath, [program, ...args], { env }, (error, out, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      done({ code, out, error: stderr });
    });
  });
}

it("gives the same report with and without a running service, and leaves nothing running", {
  timeout: 240_000,
}, async () => {
  const fresh = await run("status", "--network", "sandbox");
  expect([fresh.code, fresh.out]).toEqual([1, ""]);
  expect(fresh.error).toMatch(/no sandbox network yet: the first start of the service creates it/);

  const app = await startApp(
    readConfig({ DATA_DIR: dataDir, PORT: "0", EDGE_PORT: "0", LOG_LEVEL: "fatal" }),
    partPrograms(),
  );
  const read = async () => {
    const { code, out, error } = await run("status", "--network", "sandbox", "--json");
    expect([code, error.replaceAll(/^(Starting|Waiting).*\n/gm, "")]).toEqual([0, ""]);
    return Status.parse(JSON.parse(out));
  };
  let beside: z.infer<typeof Status>;
  let parts: z.infer<typeof Parts>["parts"];
  try {
    // Orders of the first start can continue for a while and use gas.
    do beside = await read();
    while (beside.openTransactions.queued + beside.openTransactions.signed > 0);
    ({ parts } = Parts.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"))));
    expect(parts.map(({ name }) => name).toSorted()).toEqual(["devnet", "postgres", "supplier"]);
    expect(parts.every(isAlive)).toBe(true);
    // The command does not disturb the running service.
    expect((await fetch(`${app.appUrl}/readyz`)).status).toBe(200);
  } finally {
    await app.stop();
  }
  expect(beside).toMatchObject({ answers: true, stoppedBecause: null, difference: { usdc: "0.00", eurc: "0.00" } });
  expect(await read()).toEqual(beside);
  expect((await run("resume", "--network", "sandbox")).out).toBe("Payments on the sandbox network were not stopped.\n");
  expect(Parts.parse(JSON.parse(readFileSync(join(dataDir, "parts.json"), "utf8"))).parts).toEqual([]);
  expect(parts.some(isAlive)).toBe(false);
});
