import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../test/support/embedded-fixture.ts";
import { programAt } from "../../test/support/programs.ts";
import { createTestDatabase } from "../../test/support/test-database.ts";
import { readParts } from "./parts-file.ts";
import { isAlive, sendSignal } from "./process-identity.ts";
import { startEmbedded } from "./start-embedded.ts";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "wayfare attester part "));
const dataDir = join(folder, "data dir");
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const makeKeys = () => ({ attesters: [generatePrivateKey()], gateway: generatePrivateKey() });
const keys = { testnet: makeKeys(), mainnet: makeKeys() };
const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
const hub = {
  name: "Arc_Testnet",
  network: "testnet",
  domain: 26,
  rpcUrl: "http://127.0.0.1:9",
  isHub: true,
  usdc: address("1"),
  transmitter: address("2"),
  messenger: address("3"),
  gatewayWallet: address("4"),
  gatewayMinter: address("5"),
} as const;
const start = () =>
  startEmbedded({
    dataDir,
    databaseUrl: database.url,
    supplierSandbox: false,
    log: silent,
    attesterProgram: programAt("attester/src/main.ts"),
  });
const none = { chains: [], keys };
const entry = () => readParts(realpathSync(dataDir)).find(({ name }) => name === "attester");
const isHealthy = async (url: string) => (await fetch(`${url}/healthz`)).status === 200;

test("starts when it is first asked for, is kept on its port, and is replaced when its chains change", async () => {
  const embedded = await start();
  expect(entry()).toBeUndefined();
  const [{ url }, again] = await Promise.all([embedded.startAttester(none), embedded.startAttester(none)]);
  expect(again).toEqual({ url });
  expect(await isHealthy(url)).toBe(true);
  const first = entry();
  expect(first).toMatchObject({ ready: true, url });
  const secretsFile = join(dataDir, "attester", "secrets.json");
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
  // Nothing of a key stands in the process list.
  const words = readFileSync(`/proc/${first?.pid}/cmdline`, "utf8");
  expect(words).not.toContain(keys.testnet.gateway);
  if (first) sendSignal(first, "SIGKILL");
  const second = await until(() => (entry()?.ready && entry()?.pid !== first?.pid ? entry() : undefined));
  expect(second.url).toBe(url);
  await embedded.stop();
  expect(isAlive(second)).toBe(false);

  const other = await start();
  expect(await other.startAttester({ chains: [hub], keys })).toEqual({ url });
  expect(JSON.parse(readFileSync(secretsFile, "utf8"))).toEqual({ chains: [hub], keys });
  await other.stop();
  expect(readParts(realpathSync(dataDir))).toEqual([]);
});

test("starts when a service asks for it that does not keep the parts, and the one that does knows no secrets", async () => {
  rmSync(join(dataDir, "attester"), { recursive: true, force: true });
  const keeper = await start();
  const asking = await start();
  const { url } = await asking.startAttester(none);
  expect(await isHealthy(url)).toBe(true);
  await asking.stop();
  await keeper.stop();
});
