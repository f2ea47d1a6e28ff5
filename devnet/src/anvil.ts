import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { type Genesis, genesisPath } from "./genesis.ts";
import { findNodeAddress, type NodeAddress } from "./node-address.ts";
import { type Block, parseBlock, requireResult } from "./node-answers.ts";
import { type NodeLane, openNodeLane } from "./node-lane.ts";

const START_ATTEMPTS = 3;
const START_LIMIT_MILLISECONDS = 20_000;
const CONNECT_EVERY_MILLISECONDS = 5;
/** A node that says nothing for this long hangs. Writing a snapshot of a very long chain takes seconds. */
const SILENCE_LIMIT_MILLISECONDS = 30_000;
/**
 * How many blocks back the state can still be asked. Each is a copy of the whole state, which grows with every block, as the chain
 * keeps the hashes and times of the last 8,191 in it: a long chain has fewer.
 */
const STATES_IN_MEMORY = 1_000;
const STATES_OF_LONG_CHAIN = 128;
const LONG_CHAIN_BLOCKS = 2_000;

/** A running anvil that never mines by itself. */
export interface AnvilNode {
  address: NodeAddress;
  lane: NodeLane;
  /** Its own name, with its version. */
  version: string;
  genesisBlock: Block;
  /** Resolves, with the reason, when the process is gone. */
  ended: Promise<string>;
  kill(): void;
}

interface AnvilOptions {
  binary: string;
  folder: string;
  genesis: Genesis;
  /** The block from which it goes on. */
  fromBlock: number;
}

const buildArguments = ({ folder, genesis, fromBlock }: AnvilOptions, address: NodeAddress): string[] => [
  ...["--init", genesisPath(folder), "--host", address.host, "--port", String(address.port)],
  ...["--chain-id", String(genesis.chainId), "--timestamp", String(genesis.timestamp)],
  ...["--gas-limit", String(genesis.gasLimit), "--hardfork", genesis.hardfork],
  // First come, first mined; and no accounts whose keys everybody knows.
  ...["--no-mining", "--order", "fifo", "--accounts", "0"],
  ...["--prune-history", String(fromBlock < LONG_CHAIN_BLOCKS ? STATES_IN_MEMORY : STATES_OF_LONG_CHAIN)],
  ...["--no-request-size-limit", "--no-cors", "--quiet"],
];

const spawned = (options: AnvilOptions, address: NodeAddress): { child: ChildProcess; ended: Promise<string> } => {
  // It reads a .env file in its working directory: that is the chain's own folder, and it gets nothing of the environment.
  const child = spawn(options.binary, buildArguments(options, address), {
    cwd: options.folder,
    env: { LC_ALL: "C", TZ: "UTC" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  return { child, ended };
};

const connected = async (address: NodeAddress, isOver: () => boolean): Promise<NodeLane | undefined> => {
  const deadline = performance.now() + START_LIMIT_MILLISECONDS;
  while (!isOver() && performance.now() < deadline) {
    try {
      return await openNodeLane(address, SILENCE_LIMIT_MILLISECONDS);
    } catch {
      await delay(CONNECT_EVERY_MILLISECONDS);
    }
  }
  return undefined;
};

/** Starts the node at its genesis, in this process's group, and dies with this process at the latest. */
export const startAnvil = async (options: AnvilOptions): Promise<AnvilNode> => {
  let reason = "";
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    const address = await findNodeAddress();
    const { child, ended } = spawned(options, address);
    const kill = () => void child.kill("SIGKILL");
    process.once("exit", kill);
    let endedBy: string | undefined;
    void ended.then((why) => {
      endedBy = why;
      process.off("exit", kill);
    });
    try {
      const lane = await connected(address, () => endedBy !== undefined);
      if (lane === undefined) throw new Error(endedBy ?? `it did not listen within ${START_LIMIT_MILLISECONDS} ms`);
      const version = String(requireResult(await lane.call("web3_clientVersion")));
      const genesisBlock = parseBlock(await lane.call("eth_getBlockByNumber", "0x0", false));
      if (genesisBlock.miner !== options.genesis.coinbase)
        throw new Error(`another node answers on ${address.host}:${address.port}`);
      return { address, lane, version, genesisBlock, ended, kill };
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      kill();
      await ended;
    }
  }
  throw new Error(`${options.binary} does not start (${reason}).`);
};
