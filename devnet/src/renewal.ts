import { z } from "zod";
import type { AnvilNode } from "./anvil.ts";
import { type Archive, OldBlock } from "./archive.ts";
import type { ChainKeeper } from "./chain-keeper.ts";
import { errorText } from "./error-text.ts";
import { loadSnapshot } from "./recover.ts";
import type { RunningNode } from "./running-node.ts";
import { trimState } from "./trim-state.ts";

interface RenewalOptions {
  folder: string;
  /** Blocks and transactions that a node may hold before it is replaced. */
  renewAfter: number;
  chain: ChainKeeper;
  archive: Archive;
  running: RunningNode;
  startNode(fromBlock: number): Promise<AnvilNode>;
  say(line: string): void;
}

/** So much of what it holds stays in the node, and never less than what contracts can ask for the hashes of. */
const KEPT_SHARE = 0.125;
const KEPT_BLOCKS = 256;
const BLOCKS_AT_ONCE = 50;
const Parent = z.looseObject({ parentHash: z.string() });

/**
 * A node keeps every block that it has ever seen in memory. When it holds many, its old blocks are archived while it goes on; then a
 * fresh node, which loads the others from a snapshot, takes its place while transactions wait.
 */
export class Renewal {
  readonly #options: RenewalOptions;
  #archiving: Promise<void> | undefined;
  #isArchived = false;
  #isStopping = false;
  /** After a failure, it is tried again when the chain has grown to this weight. */
  #notBefore = 0;

  constructor(options: RenewalOptions) {
    this.#options = options;
  }

  /** True when the old blocks are in the archive; the archiving is begun when there are many. */
  isDue(): boolean {
    const { renewAfter, chain, archive } = this.#options;
    const { block, weight } = chain.tip();
    const held = block - archive.end + 1;
    const leastKept = Math.min(KEPT_BLOCKS, Math.ceil(renewAfter * KEPT_SHARE));
    const kept = Math.max(leastKept, Math.ceil(held * KEPT_SHARE));
    const isHeavy = weight - archive.weight >= renewAfter && held >= 2 * leastKept;
    if (isHeavy && weight >= this.#notBefore && !this.#isArchived && this.#archiving === undefined) {
      this.#archiving = this.#archiveBefore(block - kept + 1)
        .then(() => {
          this.#isArchived = true;
        })
        .catch((error) => this.#putOff(error))
        .finally(() => {
          this.#archiving = undefined;
        });
    }
    return this.#isArchived;
  }

  /** While nothing is sent to the node. A failure leaves everything as it was. */
  async renew(): Promise<void> {
    const { folder, chain, archive, running, startNode, say } = this.#options;
    this.#isArchived = false;
    let node: AnvilNode | undefined;
    try {
      const { block, hash } = chain.tip();
      if (!(await chain.takeSnapshot(running.lane, (state) => trimState(state, archive.end)))) {
        throw new Error("there is no snapshot");
      }
      node = await startNode(block);
      const loaded = await loadSnapshot(node, folder, block);
      if (loaded.hash !== hash) throw new Error(`it holds ${loaded.hash} as block ${block}, not ${hash}`);
      running.replace(node);
      say(`a fresh node goes on at block ${block}, older blocks than ${archive.end} are in the archive`);
    } catch (error) {
      node?.kill();
      this.#putOff(error);
    }
  }

  /** What is archived by then stays. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#archiving;
  }

  #putOff(error: unknown): void {
    const { chain, renewAfter, say } = this.#options;
    this.#notBefore = chain.tip().weight + renewAfter;
    say(`the node is not replaced: ${errorText(error)}`);
  }

  async #archiveBefore(first: number): Promise<void> {
    const { archive, running } = this.#options;
    while (archive.end < first && !this.#isStopping) {
      const count = Math.min(BLOCKS_AT_ONCE, first - archive.end);
      archive.add(
        await Promise.all(Array.from({ length: count }, (_, index) => readBlock(running, archive.end + index))),
      );
    }
  }
}

async function readBlock(running: RunningNode, number: number): Promise<OldBlock> {
  const at = `0x${number.toString(16)}`;
  const [block, receipts] = await Promise.all([
    running.ask("eth_getBlockByNumber", [at, true]),
    running.ask("eth_getBlockReceipts", [at]),
  ]);
  return OldBlock.parse({ block, receipts });
}

/** Blocks that neither the node nor the archive has would look as if they had been empty. */
export async function requireWhole(
  archive: Archive,
  running: RunningNode,
  { folder, tip }: { folder: string; tip: { block: number } },
): Promise<void> {
  const { end } = archive;
  if (end > tip.block && end === 1) return;
  const next = end > tip.block ? null : await running.ask("eth_getBlockByNumber", [`0x${end.toString(16)}`, false]);
  const before = archive.byNumber(end - 1)?.block.hash;
  const { parentHash } = Parent.nullable().parse(next) ?? {};
  if (parentHash !== undefined && (end === 1 || parentHash === before)) return;
  throw new Error(`The archive of old blocks in ${folder} does not belong to its chain: put back a copy of both.`);
}
