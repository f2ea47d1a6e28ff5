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
  /** Blocks and transactions that a node may hold before it is replaced when nothing is sent; while there is, four times as many. */
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
const DUE_FACTOR = { idle: 1, busy: 4 } as const;
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
  /** The weight of the blocks that the node does not hold. */
  #weightBefore: number;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#weightBefore = options.archive.weight;
  }

  /**
   * True when the node holds much and the old blocks are in the archive, where they go from now on. While transactions come it may
   * hold more: they would wait.
   */
  isDue(when: keyof typeof DUE_FACTOR): boolean {
    if (!this.#holdsMore(DUE_FACTOR[when])) return false;
    if (!this.#isArchived) this.#archive();
    return this.#isArchived;
  }

  /** Whether it is worth asking again when nothing is sent. */
  isWanted(): boolean {
    return this.#holdsMore(DUE_FACTOR.idle);
  }

  #holdsMore(factor: number): boolean {
    const { renewAfter, chain } = this.#options;
    const { weight } = chain.tip();
    const isHeavy = weight - this.#weightBefore >= renewAfter * factor && weight >= this.#notBefore;
    return isHeavy && (this.#isArchived || this.#archiving !== undefined || this.#held() >= 2 * this.#leastKept());
  }

  /** Blocks that the archive does not have. */
  #held(): number {
    const { chain, archive } = this.#options;
    return chain.tip().block - archive.end + 1;
  }

  #leastKept(): number {
    return Math.min(KEPT_BLOCKS, Math.ceil(this.#options.renewAfter * KEPT_SHARE));
  }

  /** While nothing is sent to the node. A failure leaves everything as it was. */
  async renew(): Promise<void> {
    const { folder, chain, archive, running, startNode, say } = this.#options;
    this.#isArchived = false;
    const { block, hash } = chain.tip();
    // Its process starts while the snapshot is made: until both are there, nothing is sent.
    const starting = startNode(block);
    starting.catch(() => undefined);
    try {
      if (!(await chain.takeSnapshot(running.lane, (state) => trimState(state, archive.end)))) {
        throw new Error("there is no snapshot");
      }
      const node = await starting;
      const loaded = await loadSnapshot(node, folder, block);
      if (loaded.hash !== hash) throw new Error(`it holds ${loaded.hash} as block ${block}, not ${hash}`);
      running.replace(node);
      this.#weightBefore = archive.weight;
      say(`a fresh node continues at block ${block}; blocks before ${archive.end} are in the archive`);
    } catch (error) {
      void starting.then(
        (node) => node.kill(),
        () => undefined,
      );
      this.#putOff(error);
    }
  }

  /** Blocks archived by then stay archived. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#archiving;
  }

  #putOff(error: unknown): void {
    const { chain, renewAfter, say } = this.#options;
    this.#notBefore = chain.tip().weight + renewAfter;
    say(`the node was not replaced: ${errorText(error)}`);
  }

  #archive(): void {
    if (this.#archiving !== undefined) return;
    const kept = Math.max(this.#leastKept(), Math.ceil(this.#held() * KEPT_SHARE));
    this.#archiving = this.#archiveBefore(this.#options.chain.tip().block - kept + 1)
      .then(() => {
        this.#isArchived = true;
      })
      .catch((error) => this.#putOff(error))
      .finally(() => {
        this.#archiving = undefined;
      });
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
