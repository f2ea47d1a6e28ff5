import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type Address, encodeFunctionData, getContractAddress, type Hex, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { locateAnvil } from "../devnet/src/locate-anvil.ts";
import { COIN_BYTECODE, coinAbi } from "../devnet/test/support/devnet-coin.ts";
import { findFreePort } from "../server/src/embedded/free-port.ts";
import { type Call, createCall, type RpcSlice, runRpcSlice, sendAndConfirm } from "./support/rpc-load.ts";

/**
 * Token transfers that are acknowledged durable by the development chain, against plain automine anvil, which keeps nothing, in one
 * run on one machine. Then how long the chain needs to come back: from its log, and from a snapshot.
 */
const SENDERS = 32;
const SECONDS = 3;
const ROUNDS = 5;
const TRANSFERS_TO_REPLAY = 10_000;
/** Per sender and slice; a slice that uses them up says so. */
const SIGNED_PER_SLICE = 500;
const CHAIN_ID = 5_042_002;
const TARGETS = {
  perSecond: 300,
  firstStartMilliseconds: 2_000,
  replayMilliseconds: 6_000,
  snapshotMilliseconds: 1_000,
} as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const program = join(import.meta.dirname, "../devnet/src/main.ts");
const folder = mkdtempSync(join(tmpdir(), "wayfare-bench-"));
const accounts = Array.from({ length: SENDERS }, (_, index) => privateKeyToAccount(keccak256(toHex(`bench ${index}`))));
const [deployer] = accounts;
if (deployer === undefined) throw new Error("There is no account.");
const coin = getContractAddress({ from: deployer.address, nonce: 0n });
const prefundFile = join(folder, "prefund.json");
writeFileSync(prefundFile, JSON.stringify(accounts.map(({ address }) => address)));
const genesisFile = join(folder, "genesis.json");
const balance = `0x${(10n ** 24n).toString(16)}`;
writeFileSync(
  genesisFile,
  JSON.stringify({
    config: { chainId: CHAIN_ID },
    gasLimit: "0x1c9c380",
    difficulty: "0x0",
    alloc: Object.fromEntries(accounts.map(({ address }) => [address, { balance }])),
  }),
);

const children = new Set<ChildProcess>();
const gone = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve());
    if (child.exitCode !== null || child.signalCode !== null) resolve();
  });
const kill = async (child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
  if (child.pid !== undefined && child.exitCode === null)
    process.kill(signal === "SIGKILL" ? -child.pid : child.pid, signal);
  await gone(child);
  children.delete(child);
};

const Tip = z.object({ hash: z.string() });
const Started = z.object({ port: z.number(), restored: z.object({ block: z.number(), hash: z.string() }) });

const startChain = async (name: string, snapshotAfter = 1_000_000) => {
  const begun = performance.now();
  const words = ["--folder", join(folder, name), "--anvil", locateAnvil(), "--prefund-file", prefundFile];
  const child = spawn(process.execPath, [program, ...words, "--snapshot-after", String(snapshotAfter)], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.add(child);
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, startMilliseconds: performance.now() - begun, ...Started.parse(JSON.parse(line)) };
  }
  throw new Error("The chain did not start.");
};

const startAutomine = async () => {
  const port = await findFreePort();
  const words = ["--init", genesisFile, "--chain-id", String(CHAIN_ID), "--port", String(port), "--quiet"];
  const child = spawn(locateAnvil(), words, { detached: true, stdio: "ignore" });
  children.add(child);
  const { call } = createCall(port, SENDERS);
  for (;;) {
    const up = await call("eth_chainId").catch(() => undefined);
    if (up !== undefined) return { child, port };
    await delay(10);
  }
};

/** The next nonce of each account is one thing on both sides: each side counts its own. */
const createWallets = (call: Call) => {
  const nonces = accounts.map(() => 0);
  const sign = (index: number, to: Address | undefined, data: Hex, gas: bigint): Promise<Hex> => {
    const nonce = nonces[index] ?? 0;
    nonces[index] = nonce + 1;
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const account = accounts[index] ?? deployer;
    return account.signTransaction({
      type: "eip1559",
      chainId: CHAIN_ID,
      nonce,
      data,
      gas,
      ...fees,
      ...(to && { to }),
    });
  };
  const transfer = (index: number): Promise<Hex> => {
    const to = accounts[(index + 1) % SENDERS]?.address ?? deployer.address;
    const data = encodeFunctionData({ abi: coinAbi, functionName: "transfer", args: [to, 1n] });
    return sign(index, coin, data, 80_000n);
  };
  return {
    async prepare(): Promise<void> {
      await sendAndConfirm(call, await sign(0, undefined, COIN_BYTECODE, 1_000_000n));
      for (const [index, { address }] of accounts.entries()) {
        const data = encodeFunctionData({ abi: coinAbi, functionName: "mint", args: [address, 10n ** 12n] });
        await sendAndConfirm(call, await sign(index, coin, data, 100_000n));
      }
    },
    async signTransfers(count: number): Promise<string[][]> {
      // The chain says where the last slice ended: what was signed and not sent is signed again.
      for (const [index, { address }] of accounts.entries()) {
        nonces[index] = Number(await call("eth_getTransactionCount", address, "latest"));
      }
      const bySender: string[][] = [];
      for (const index of accounts.keys()) {
        const raws: string[] = [];
        for (let more = 0; more < count; more += 1) raws.push(await transfer(index));
        bySender.push(raws);
      }
      return bySender;
    },
  };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const openSide = async (port: number) => {
  const { call, close } = createCall(port, SENDERS);
  const wallets = createWallets(call);
  await wallets.prepare();
  return { call, close, wallets, slices: [] as RpcSlice[] };
};

let missed = false;
const judge = (what: string, isMet: boolean): string => {
  missed ||= !isMet;
  return `${what}: ${isMet ? "met" : "MISSED"}`;
};

try {
  const first = await startChain("short");
  say("baseline source: the same anvil binary, automine, nothing durable; a transfer counts when its receipt is there");
  say(
    `load: node bench/devnet.ts — ${SENDERS} senders with an account each, closed loop, signed beforehand, ${SECONDS} s a slice, ${ROUNDS} rounds interleaved, node ${process.version}`,
  );
  say(
    `first start: ${first.startMilliseconds.toFixed(0)} ms (${judge(`target ${TARGETS.firstStartMilliseconds}`, first.startMilliseconds < TARGETS.firstStartMilliseconds)})`,
  );
  const automine = await startAutomine();
  const sides = { chain: await openSide(first.port), automine: await openSide(automine.port) };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ["chain", "automine"] as const) {
      const { call, wallets, slices } = sides[name];
      const slice = await runRpcSlice(call, await wallets.signTransfers(SIGNED_PER_SLICE), round === 0 ? 2 : SECONDS);
      if (round > 0) slices.push(slice);
      const { perSecond, p50Milliseconds, p95Milliseconds, acknowledged, stalled } = slice;
      say(
        `${round === 0 ? "warm-up" : `round ${round}`} ${name.padEnd(8)} ${perSecond.toFixed(0).padStart(5)} transfers/s  p50 ${p50Milliseconds.toFixed(1)} ms  p95 ${p95Milliseconds.toFixed(1)} ms  acknowledged ${acknowledged}  stalled ${stalled}`,
      );
    }
  }
  const rate = (name: keyof typeof sides) => median(sides[name].slices.map(({ perSecond }) => perSecond));
  const stalled = sides.chain.slices.reduce((sum, slice) => sum + slice.stalled, 0);
  const isMet = rate("chain") >= TARGETS.perSecond && stalled === 0;
  say(
    `acknowledged durable: median ${rate("chain").toFixed(0)} transfers/s = ${(rate("chain") / rate("automine")).toFixed(2)} of automine's ${rate("automine").toFixed(0)} (${judge(`target ${TARGETS.perSecond}`, isMet)})`,
  );

  for (const side of [sides.automine, sides.chain]) side.close();
  await kill(automine.child, "SIGKILL");
  await kill(first.child, "SIGKILL");

  // A chain of its own, as long as the target says.
  const long = await startChain("long");
  const { call, wallets, close } = await openSide(long.port);
  const transfers = await wallets.signTransfers(Math.ceil(TRANSFERS_TO_REPLAY / SENDERS));
  await Promise.all(
    transfers.map(async (raws) => {
      for (const raw of raws) await call("eth_sendRawTransaction", raw);
    }),
  );
  const tip = Tip.parse(await call("eth_getBlockByNumber", "latest", false)).hash;
  close();
  await kill(long.child, "SIGKILL");
  const replayed = await startChain("long", 1_000);
  const sameAfterReplay = replayed.restored.hash === tip;
  say(
    `start after kill -9, replaying ${transfers.flat().length} transactions in ${replayed.restored.block} blocks: ${replayed.startMilliseconds.toFixed(0)} ms, same tip hash: ${sameAfterReplay} (${judge(`target ${TARGETS.replayMilliseconds}`, sameAfterReplay && replayed.startMilliseconds < TARGETS.replayMilliseconds)})`,
  );
  // Idle, it writes its snapshot.
  const chainFolder = join(folder, "long");
  while (!readdirSync(chainFolder).some((name) => /^snapshot-.*gz$/.test(name))) await delay(20);
  await kill(replayed.child, "SIGKILL");
  const restored = await startChain("long");
  const sameFromSnapshot = restored.restored.hash === tip;
  say(
    `start after kill -9 with a snapshot: ${restored.startMilliseconds.toFixed(0)} ms, same tip hash: ${sameFromSnapshot} (${judge(`target ${TARGETS.snapshotMilliseconds}`, sameFromSnapshot && restored.startMilliseconds < TARGETS.snapshotMilliseconds)})`,
  );
  await kill(restored.child, "SIGTERM");
} finally {
  for (const child of children) await kill(child, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
if (missed) process.exitCode = 1;
