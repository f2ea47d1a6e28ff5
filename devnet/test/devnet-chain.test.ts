import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEther } from "viem";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COIN_BYTECODE, coinAbi } from "./support/devnet-coin.ts";
import {
  account,
  createDevnetFixture,
  type Devnet,
  type DevnetFixture,
  signTransfer,
} from "./support/devnet-fixture.ts";

// Chains are started several times over.
vi.setConfig({ testTimeout: 240_000 });

let fixture: DevnetFixture;
beforeEach(() => {
  fixture = createDevnetFixture();
});
afterEach(() => fixture.cleanUp());

const deployCoin = async ({ wallet, client }: Devnet) => {
  const hash = await wallet(0).deployContract({ abi: coinAbi, bytecode: COIN_BYTECODE });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("no contract");
  return contractAddress;
};

/** Returns the time of the block that a call runs in. */
const CALL_OF_TIME = { data: "0x4260005260206000f3" } as const;

test("an ordinary client deploys, writes, reads, estimates and finds logs, before and after a kill", async () => {
  const chain = await fixture.start();
  const { client, wallet } = chain;
  expect(await client.getChainId()).toBe(5_042_002);
  expect(await client.getBalance({ address: account(0).address })).toBe(parseEther("1000000"));
  const address = await deployCoin(chain);
  const [owner, other] = [account(0).address, account(1).address];
  const coin = { address, abi: coinAbi } as const;
  await wallet(0).writeContract({ ...coin, functionName: "mint", args: [owner, 100n] });
  const hash = await wallet(0).writeContract({ ...coin, functionName: "transfer", args: [other, 40n] });
  const receipt = await client.getTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: "success", blockNumber: 3n });
  const readBalance = (devnet: Devnet, who: typeof owner, blockNumber?: bigint) =>
    devnet.client.readContract({
      ...coin,
      functionName: "balanceOf",
      args: [who],
      ...(blockNumber !== undefined && { blockNumber }),
    });
  expect([await readBalance(chain, owner), await readBalance(chain, other)]).toEqual([60n, 40n]);
  expect(await readBalance(chain, owner, 2n)).toBe(100n);
  await expect(
    client.simulateContract({ ...coin, functionName: "transfer", args: [owner, 41n], account: other }),
  ).rejects.toThrow(/Short\(uint256 has, uint256 needs\)[\s\S]*\(40, 41\)/);
  const estimated = await client.estimateContractGas({
    ...coin,
    functionName: "transfer",
    args: [owner, 1n],
    account: other,
  });
  expect(estimated).toBeGreaterThan(21_000n);
  const before = await client.getLogs({ address, fromBlock: 0n });
  expect(before.length).toBe(2);

  expect(await chain.kill()).toBe("SIGKILL");
  const again = await fixture.start();
  expect(again.genesisHash).toBe(chain.genesisHash);
  expect(again.restored).toEqual({ block: 3, hash: receipt.blockHash });
  expect(await again.client.getTransactionReceipt({ hash })).toEqual(receipt);
  expect(await again.client.getLogs({ address, fromBlock: 0n })).toEqual(before);
  expect([await readBalance(again, owner), await readBalance(again, other)]).toEqual([60n, 40n]);
  await again.wallet(1).writeContract({ ...coin, functionName: "transfer", args: [owner, 40n] });
  expect(await readBalance(again, owner)).toBe(100n);
});

test("calls run at the present time, though the last block is old", async () => {
  const chain = await fixture.start();
  const seconds = async (block: string) => Number((await chain.ask("eth_call", CALL_OF_TIME, block)).result);
  const now = Math.floor(Date.now() / 1_000);
  expect(await seconds("latest")).toBeGreaterThanOrEqual(now);
  expect(await seconds("pending")).toBeGreaterThanOrEqual(now);
  const genesis = await chain.client.getBlock({ blockNumber: 0n });
  expect(await seconds("0x0")).toBe(Number(genesis.timestamp));
  // An override of the client's own stays.
  const answer = await chain.ask("eth_call", CALL_OF_TIME, "latest", {}, { time: "0x70000000" });
  expect(Number(answer.result)).toBe(0x70000000);
});

test("each folder has a chain of its own, private, and two with different ids run side by side", async () => {
  const first = await fixture.start();
  const second = await fixture.start({ name: "other", chainId: 31_999 });
  const third = await fixture.start({ name: "third" });
  expect(new Set([first, second, third].map(({ genesisHash }) => genesisHash)).size).toBe(3);
  expect(await second.client.getChainId()).toBe(31_999);
  const raw = await signTransfer(0, 0);
  expect((await second.ask("eth_sendRawTransaction", raw)).error?.message).toMatch(/chain id/);
  expect((await first.ask("eth_sendRawTransaction", raw)).error).toBeUndefined();
  expect(await second.client.getBlockNumber()).toBe(0n);
  await second.wallet(0).sendTransaction({ to: account(1).address, value: 1n });
  expect(await second.client.getBlockNumber()).toBe(1n);

  const folder = fixture.chainFolderPath();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const open = readdirSync(folder).filter((name) => statSync(join(folder, name)).mode & 0o077);
  expect(open).toEqual([]);
  expect(await fixture.refuse()).toMatch(/Another process runs the chain in .*: stop it, or use another folder/);
});

test("a folder is refused with other settings than it was made with, and without its meta file", async () => {
  const stranger = "0x00000000000000000000000000000000000000c1";
  const chain = await fixture.start();
  await chain.ask("eth_sendRawTransaction", await signTransfer(0, 0));
  expect(await chain.stop()).toBe(0);
  expect(await fixture.refuse({ chainId: 31_999 })).toMatch(/has id 5042002, not 31999/);
  expect(await fixture.refuse({ prefund: [stranger] })).toContain(`was made without gas for ${stranger}`);
  // Fewer addresses, or written otherwise, are no other chain.
  const again = await fixture.start({ prefund: [account(3).address.toLowerCase()] });
  expect(again).toMatchObject({ genesisHash: chain.genesisHash, restored: { block: 1 } });
});

test("root may start it as a user without rights", async ({ skip }) => {
  if (process.getuid?.() !== 0) skip("needs root to become somebody else");
  const prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const chain = await fixture.start({ prefix });
  await chain.wallet(0).sendTransaction({ to: account(1).address, value: 1n });
  expect(statSync(join(fixture.chainFolderPath(), "meta.json")).uid).toBe(65_534);
  expect(await chain.stop()).toBe(0);
  expect((await fixture.start({ prefix })).restored.block).toBe(1);
});
