import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { account, type Devnet, signTransfer } from "./devnet-fixture.ts";
import type { Random } from "./random.ts";

const Block = z.object({ number: z.string(), hash: z.string() });
const Receipt = z.object({ blockNumber: z.string(), blockHash: z.string(), status: z.string() });

/** The observations of clients of a chain. */
interface Witness {
  /** Hashes that eth_sendRawTransaction answered. */
  acknowledged: string[];
  /** Hash by number of every block that was read. */
  blocks: Map<string, string>;
}

export const newWitness = (): Witness => ({ acknowledged: [], blocks: new Map() });

const SENDERS = 6;
/** A slow chain takes what everybody sends into few blocks, and a reader may be late. */
const FEWEST_NEW_BLOCKS = 4;

/** Clients that send and read as fast as they can until the chain dies under them. */
export const storm = async (chain: Devnet, witness: Witness, random: Random, kill: () => Promise<unknown>) => {
  let isOver = false;
  const sender = async (index: number): Promise<void> => {
    let nonce = await chain.client.getTransactionCount({ address: account(index).address });
    while (!isOver) {
      // Now and then several at once, in any order.
      const count = random.between(1, 4);
      const raws = await Promise.all(Array.from({ length: count }, (_, more) => signTransfer(index, nonce + more)));
      const answers = await Promise.all(random.shuffle(raws).map((raw) => chain.ask("eth_sendRawTransaction", raw)));
      for (const { result } of answers) if (typeof result === "string") witness.acknowledged.push(result);
      nonce += count;
    }
  };
  const reader = async (): Promise<void> => {
    while (!isOver) {
      const { number, hash } = Block.parse((await chain.ask("eth_getBlockByNumber", "latest", false)).result);
      witness.blocks.set(number, hash);
    }
  };
  const clients = [...Array.from({ length: SENDERS }, (_, index) => sender(index)), reader()];
  // A chain that dies breaks connections off: that ends a client as well.
  const ended = Promise.allSettled(clients);
  const enough = witness.acknowledged.length + random.between(20, 60);
  const enoughBlocks = witness.blocks.size + FEWEST_NEW_BLOCKS;
  while (witness.acknowledged.length < enough || witness.blocks.size < enoughBlocks) await delay(1);
  await delay(random.between(0, 30));
  await kill();
  isOver = true;
  await ended;
};

/** Everything that clients saw and that is not so any more. Empty: nothing acknowledged was lost, and no block changed. */
export const findLosses = async (chain: Devnet, { acknowledged, blocks }: Witness): Promise<string[]> => {
  const losses: string[] = [];
  for (const hash of new Set(acknowledged)) {
    const receipt = Receipt.nullable().parse((await chain.ask("eth_getTransactionReceipt", hash)).result);
    if (receipt === null) losses.push(`transaction ${hash} is gone`);
    else if (receipt.status !== "0x1") losses.push(`transaction ${hash} failed`);
  }
  for (const [number, hash] of blocks) {
    const block = Block.nullable().parse((await chain.ask("eth_getBlockByNumber", number, false)).result);
    if (block?.hash !== hash) losses.push(`block ${number} was ${hash} and is ${block?.hash}`);
  }
  return losses;
};
