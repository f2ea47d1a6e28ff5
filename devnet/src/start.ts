import { chmodSync, mkdirSync } from "node:fs";
import { type AnvilNode, startAnvil } from "./anvil.ts";
import { Archive } from "./archive.ts";
import { beginChain, readTipBlock, removeDrafts } from "./chain-files.ts";
import { createChainKeeper } from "./chain-keeper.ts";
import { lockFolder } from "./folder-lock.ts";
import { FurtherChains } from "./further-chains.ts";
import { chooseGenesis, readMeta, writeGenesisFile, writeMeta } from "./genesis.ts";
import { endFurtherNodes, endOrphanNodes, endSequencers, furtherFolder } from "./orphans.ts";
import { recover } from "./recover.ts";
import { Renewal, requireWhole } from "./renewal.ts";
import { createGateway } from "./rpc-gateway.ts";
import { listenRpc } from "./rpc-server.ts";
import { RunningNode } from "./running-node.ts";
import { Sequencer } from "./sequencer.ts";
import type { ChainSpec, Settings } from "./settings.ts";
import { type OpenLog, openLog } from "./write-ahead-log.ts";

interface RunningDevnet {
  port: number;
  /** Block number and hash of the last block as it was restored. */
  restored: { block: number; hash: string };
  genesisHash: string;
  /** Resolves, with the reason, when it cannot go on: end this process, the next start restores everything acknowledged. */
  broken: Promise<string>;
  stop(): Promise<void>;
}

export interface DevnetTools {
  nowMilliseconds(): number;
  say(line: string): void;
  openLog?: OpenLog;
  /** How long a transaction waits for an earlier one of its sender. */
  holdMilliseconds?: number;
}

const HOLD_MILLISECONDS = 3_000;

/** Opens the chain of a folder that the caller alone uses: its node, restored to the last logged block, behind the sequencer. */
const openChain = async (settings: Settings, tools: DevnetTools) => {
  const { folder } = settings;
  const { nowMilliseconds, say, holdMilliseconds = HOLD_MILLISECONDS } = tools;
  const nowSeconds = (): number => Math.floor(nowMilliseconds() / 1_000);
  const orphans = endOrphanNodes(folder);
  if (orphans > 0) say(`ended ${orphans} node that a killed process had left`);
  removeDrafts(folder);
  const known = readMeta(folder);
  const genesis = chooseGenesis(settings, nowSeconds());
  await writeGenesisFile(folder, genesis);

  let isBegun = known !== undefined;
  const startNode = async (fromBlock: number): Promise<AnvilNode> => {
    const node = await startAnvil({ binary: settings.anvil, folder, genesis, fromBlock });
    const { version, genesisBlock } = node;
    if (known !== undefined && (version !== known.node || genesisBlock.hash !== known.genesisHash)) {
      throw new Error(
        `The chain in ${folder} was made by ${known.node} with genesis ${known.genesisHash}, this is ${version} with ${genesisBlock.hash}: use that version, or move that folder away for a new chain.`,
      );
    }
    if (!isBegun) await beginChain(folder, genesisBlock.hash);
    isBegun = true;
    return node;
  };
  const begun = performance.now();
  const recovered = await recover(folder, startNode, say);
  const { node, tip } = recovered;
  const { version, genesisBlock } = node;
  if (known === undefined) await writeMeta(folder, { genesis, genesisHash: genesisBlock.hash, node: version });
  say(`chain ${genesis.chainId} is at block ${tip.block} after ${Math.round(performance.now() - begun)} ms`);

  let onBroken: (reason: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    onBroken = resolve;
  });
  const running = new RunningNode(node, onBroken);
  const archive = new Archive(folder);
  await requireWhole(archive, running, { folder, tip });
  const { snapshotAfter, renewAfter } = settings;
  const chain = await createChainKeeper({ folder, snapshotAfter, openLog: tools.openLog ?? openLog, say }, recovered);
  const renewal = new Renewal({ folder, renewAfter, chain, archive, running, startNode, say });
  const sequencer = new Sequencer(
    { node: running, chain, archive, renewal },
    { nowMilliseconds, holdMilliseconds },
    onBroken,
  );
  const gateway = createGateway({
    sequencer,
    node: running,
    archive,
    nowSeconds: () => Math.max(chain.tip().timestamp, nowSeconds()),
  });
  const rest = async (): Promise<void> => {
    await sequencer.stop();
    await renewal.stop();
  };
  const end = async (): Promise<void> => {
    await chain.close();
    await running.stop();
    archive.close();
  };
  return {
    gateway,
    restored: { block: tip.block, hash: tip.hash },
    genesisHash: genesisBlock.hash,
    broken,
    tipBlock: () => chain.tip().block,
    async isHealthy(): Promise<boolean> {
      const answer = await running.read(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }));
      return answer.includes(`"0x${genesis.chainId.toString(16)}"`);
    },
    async stop(beforeEnd: () => Promise<void> = () => Promise.resolve()): Promise<void> {
      await rest();
      await beforeEnd();
      if (chain.isSnapshotDue("stopping")) await chain.takeSnapshot(running.lane);
      await end();
    },
    /** Ends a broken chain, whose node may be gone. */
    async abandon(): Promise<void> {
      await rest();
      await end();
    },
  };
};

const ensureFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
};

/** Undefined where the settings name no further chains. */
const makeFurtherChains = (settings: Settings, tools: DevnetTools): FurtherChains | undefined => {
  const { chains, mostChains, idleAfterSeconds, parkAfterSeconds } = settings;
  if (chains.length === 0) return undefined;
  const locate = ({ name }: ChainSpec): string => furtherFolder(settings.folder, name);
  return new FurtherChains({
    chains,
    most: mostChains,
    idleAfterMilliseconds: idleAfterSeconds * 1_000,
    parkAfterMilliseconds: parkAfterSeconds * 1_000,
    open(spec) {
      const folder = locate(spec);
      ensureFolder(folder);
      return openChain({ ...settings, folder, chainId: spec.chainId }, tools);
    },
    readTip: (spec) => readTipBlock(locate(spec)),
    say: tools.say,
  });
};

/** Starts the chain of a folder behind the list of methods, and what its further chains need to start when they are used. */
export const startDevnet = async (settings: Settings, tools: DevnetTools): Promise<RunningDevnet> => {
  const { folder } = settings;
  ensureFolder(folder);
  const lock = await lockFolder(folder, settings.replace ? () => endSequencers(folder) : undefined);
  endFurtherNodes(folder);
  const hub = await openChain(settings, tools);
  const further = makeFurtherChains(settings, tools);
  const server = await listenRpc(settings.port, hub, further);
  const { restored, genesisHash, broken } = hub;
  return {
    port: server.port,
    restored,
    genesisHash,
    broken,
    async stop() {
      await further?.stop();
      await hub.stop(() => server.close());
      lock.release();
    },
  };
};
