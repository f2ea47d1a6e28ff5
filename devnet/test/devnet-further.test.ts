import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findNodes, furtherFolder } from "../src/orphans.ts";
import { ask, createDevnetFixture, type Devnet, readNodeMemory, signTransfer } from "./support/devnet-fixture.ts";
import { until } from "./support/until.ts";

const CHAINS = [
  { name: "Base_Sepolia", chainId: 84_532 },
  { name: "Ethereum_Sepolia", chainId: 11_155_111 },
  { name: "Arbitrum_Sepolia", chainId: 421_614 },
  { name: "Optimism_Sepolia", chainId: 11_155_420 },
  { name: "Avalanche_Fuji", chainId: 43_113 },
];
const [BASE, ETHEREUM, ARBITRUM, OPTIMISM, AVALANCHE] = CHAINS.map(({ name }) => name);
const fixture = createDevnetFixture();
const chainsFile = join(fixture.folder, "chains.json");
let devnet: Devnet;
const start = (words: readonly string[] = []) => fixture.start({ words: ["--chains-file", chainsFile, ...words] });

beforeAll(async () => {
  writeFileSync(chainsFile, JSON.stringify(CHAINS));
  devnet = await start(["--idle-after-seconds", "0"]);
});
afterAll(() => fixture.cleanUp());

const locate = (name = "") => `${devnet.url}/chains/${name}`;
const findId = (name = "") => CHAINS.find((chain) => chain.name === name)?.chainId ?? 0;
const nodes = (name = "") => findNodes(furtherFolder(fixture.chainFolderPath(), name));
const running = () => CHAINS.filter(({ name }) => nodes(name).length > 0).map(({ name }) => name);
const readTip = async (name = "") => (await ask(locate(name), "eth_getBlockByNumber", "latest", false)).result;
const send = async (name = "", nonce = 0) =>
  await ask(locate(name), "eth_sendRawTransaction", await signTransfer(0, nonce, { chainId: findId(name) }));
const hold = async (name: string | undefined, seconds: number, holder = "a test") => {
  const body = JSON.stringify({ holder, seconds });
  return (
    await fetch(`${locate(name)}/hold`, { method: "POST", headers: { "content-type": "application/json" }, body })
  ).status;
};

test("a further chain starts when it is first used, with its own id and less than 40 MB", async () => {
  expect(running()).toEqual([]);
  // Somebody who only watches for news starts nothing.
  expect((await ask(locate(BASE), "eth_chainId")).result).toBe("0x14a34");
  expect((await ask(locate(BASE), "eth_blockNumber")).result).toBe("0x0");
  expect(running()).toEqual([]);
  const begun = performance.now();
  expect((await send(BASE)).result).toMatch(/^0x[0-9a-f]{64}$/);
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect((await ask(locate(BASE), "eth_blockNumber")).result).toBe("0x1");
  expect(running()).toEqual([BASE]);
  expect(readNodeMemory(nodes(BASE)[0] ?? 0)).toBeLessThan(40_000_000);
  // The first chain has not seen it, and its transactions are not valid elsewhere.
  expect((await devnet.ask("eth_blockNumber")).result).toBe("0x0");
  expect(await ask(locate(BASE), "eth_sendRawTransaction", await signTransfer(1, 0))).toHaveProperty("error");
});

test("a fifth chain takes the place of the one that has been idle longest, which comes back as it was", async () => {
  const before = await readTip(BASE);
  for (const name of [ETHEREUM, ARBITRUM, OPTIMISM]) await send(name);
  await send(AVALANCHE);
  expect(running()).toEqual([ETHEREUM, ARBITRUM, OPTIMISM, AVALANCHE]);
  expect(await ask(locate(BASE), "eth_blockNumber")).toMatchObject({ result: "0x1" });
  const listed = await (await fetch(`${devnet.url}/chains`)).json();
  expect(listed).toHaveProperty("chains.0", { name: BASE, chainId: 84_532, state: "parked", block: 1 });
  expect(await readTip(BASE)).toEqual(before);
  expect(running()).toEqual([BASE, ARBITRUM, OPTIMISM, AVALANCHE]);
});

test("a chain that somebody holds is not parked; when all are in use, nothing is done and it can be tried again", async () => {
  for (const name of running()) expect(await hold(name, 60)).toBe(200);
  const raw = await signTransfer(0, 1, { chainId: findId(ETHEREUM) });
  const refused = await ask(locate(ETHEREUM), "eth_sendRawTransaction", raw);
  expect(refused.error).toMatchObject({
    code: -32_005,
    message: expect.stringContaining("try again"),
    data: { reason: "no_room" },
  });
  expect(nodes(ETHEREUM)).toEqual([]);
  expect(await hold(OPTIMISM, 0)).toBe(200);
  expect(await ask(locate(ETHEREUM), "eth_sendRawTransaction", raw)).toHaveProperty("result");
  expect(running()).not.toContain(OPTIMISM);
  for (const { name } of CHAINS) await hold(name, 0);
  expect(await hold("Nowhere", 1)).toBe(404);
  expect(await hold(BASE, 601)).toBe(400);
});

test("a node that dies takes only its own chain along, until that is used again", async () => {
  const others = running().filter((name) => name !== BASE);
  const before = await readTip(BASE);
  for (const pid of nodes(BASE)) process.kill(pid, "SIGKILL");
  await until(() => nodes(BASE).length === 0 || undefined);
  // The request that notices it may be cut off.
  const after = await until(() => readTip(BASE).catch(() => undefined));
  expect(after).toEqual(before);
  expect(others.filter((name) => nodes(name).length === 0)).toEqual([]);
  expect((await devnet.ask("eth_blockNumber")).result).toBe("0x0");
});

test("a kill of everything loses nothing, and an unused chain is parked by itself", async () => {
  const before = await readTip(ETHEREUM);
  await devnet.kill();
  devnet = await start(["--park-after-seconds", "0"]);
  expect(running()).toEqual([]);
  expect((await ask(locate(ETHEREUM), "eth_blockNumber")).result).toBe("0x2");
  expect(await readTip(ETHEREUM)).toEqual(before);
  await until(() => running().length === 0 || undefined);
  expect(await readTip(ETHEREUM)).toEqual(before);
  await devnet.killSequencer();
  devnet = await start();
  expect(running()).toEqual([]);
});
