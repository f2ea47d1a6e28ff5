import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Address, encodeFunctionData, getContractAddress, type Hex } from "viem";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findNodes } from "../src/orphans.ts";
import { COIN_BYTECODE, coinAbi } from "./support/devnet-coin.ts";
import { account, createDevnetFixture, type Devnet, type DevnetFixture } from "./support/devnet-fixture.ts";

// Chains are started several times over.
vi.setConfig({ testTimeout: 240_000 });

let fixture: DevnetFixture;
beforeEach(() => {
  fixture = createDevnetFixture();
});
afterEach(() => fixture.cleanUp());

const coin = getContractAddress({ from: account(0).address, nonce: 0n });
const TRANSFERS = 150;
/** While transactions come, the node may hold four times as many. */
const options = { renewAfter: 16 };

async function send(chain: Devnet, nonce: number, to: Address | undefined, data: Hex): Promise<Hex> {
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
  const call = { type: "eip1559", chainId: 5_042_002, nonce, data, gas: 1_000_000n, ...fees } as const;
  const raw = await account(0).signTransaction(to === undefined ? call : { ...call, to });
  expect(await chain.ask("eth_sendRawTransaction", raw)).not.toHaveProperty("error");
  return raw;
}

async function transfer(chain: Devnet, nonce: number): Promise<Hex> {
  const args = [account(1).address, BigInt(nonce)] as const;
  return await send(chain, nonce, coin, encodeFunctionData({ abi: coinAbi, functionName: "transfer", args }));
}

/** A reader's view of the first blocks, and of all logs. */
async function look(chain: Devnet, hash: Hex, blockHash: Hex) {
  const results = [
    ["eth_getBlockByNumber", "0x5", false],
    ["eth_getBlockByNumber", "0x5", true],
    ["eth_getBlockByHash", blockHash, false],
    ["eth_getBlockReceipts", "0x5"],
    ["eth_getBlockTransactionCountByNumber", "0x5"],
    ["eth_getTransactionByHash", hash],
    ["eth_getTransactionByBlockNumberAndIndex", "0x5", "0x0"],
    ["eth_getTransactionReceipt", hash],
    ["eth_getLogs", { address: coin, fromBlock: "0x0", toBlock: "0x40" }],
    ["eth_getLogs", { address: coin, fromBlock: "earliest", toBlock: "0x6", topics: [null, [`0x${"0".repeat(64)}`]] }],
    ["eth_getLogs", { blockHash }],
  ] as const;
  return await Promise.all(results.map(async ([method, ...params]) => (await chain.ask(method, ...params)).result));
}

test("a node that holds many blocks is replaced by a fresh one; old blocks, receipts and logs are read as before, also after a kill", async () => {
  const chain = await fixture.start(options);
  await send(chain, 0, undefined, COIN_BYTECODE);
  const mint = encodeFunctionData({ abi: coinAbi, functionName: "mint", args: [account(0).address, 10n ** 12n] });
  await send(chain, 1, coin, mint);
  const first = await transfer(chain, 2);
  for (let nonce = 3; nonce < 8; nonce += 1) await transfer(chain, nonce);
  const block = await chain.client.getBlock({ blockNumber: 5n });
  const [hash = "0x"] = block.transactions;
  const early = await look(chain, hash, block.hash);
  expect(early.every((result) => result !== null)).toBe(true);
  const [node] = findNodes(fixture.chainFolderPath());
  for (let nonce = 8; nonce < 2 + TRANSFERS; nonce += 1) await transfer(chain, nonce);
  const renewed = () => chain.errors.filter((line) => line.includes("a fresh node continues")).length;
  expect(renewed()).toBeGreaterThan(1);
  await expect.poll(() => findNodes(fixture.chainFolderPath())).toHaveLength(1);
  expect(findNodes(fixture.chainFolderPath())).not.toEqual([node]);

  const late = await look(chain, hash, block.hash);
  const allLogs = 8;
  const others = (all: unknown[]) => all.filter((_, index) => index !== allLogs);
  expect(others(late)).toEqual(others(early));
  const logs = await chain.client.getLogs({ address: coin, fromBlock: 0n });
  // One of minting, and one of each transfer, across the archive and the node.
  expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual(
    Array.from({ length: 1 + TRANSFERS }, (_, index) => index + 2),
  );
  // One that was mined long ago is a success told twice.
  expect((await chain.ask("eth_sendRawTransaction", first)).result).toMatch(/^0x[0-9a-f]{64}$/);

  const { number, hash: tip } = await chain.client.getBlock();
  await chain.kill();
  const again = await fixture.start(options);
  expect(again.restored).toEqual({ block: Number(number), hash: tip });
  expect(await look(again, hash, block.hash)).toEqual(late);
  await transfer(again, 2 + TRANSFERS);
  await again.stop();
  for (const name of ["archive.sqlite", "archive.sqlite-wal", "archive.sqlite-shm"]) {
    rmSync(join(fixture.chainFolderPath(), name), { force: true });
  }
  expect(await fixture.refuse(options)).toContain("does not belong to its chain");
});

test("one that holds some blocks is replaced when nothing is sent", async () => {
  const chain = await fixture.start({ renewAfter: 64 });
  await send(chain, 0, undefined, COIN_BYTECODE);
  const [node] = findNodes(fixture.chainFolderPath());
  for (let nonce = 1; nonce < 50; nonce += 1) await transfer(chain, nonce);
  await expect.poll(() => chain.errors.join("")).toContain("a fresh node continues at block 50");
  await expect.poll(() => findNodes(fixture.chainFolderPath())).toHaveLength(1);
  expect(findNodes(fixture.chainFolderPath())).not.toEqual([node]);
  await transfer(chain, 50);
});
