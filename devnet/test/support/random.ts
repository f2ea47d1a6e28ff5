import { createHash } from "node:crypto";

/** Decisions that repeat with the seed. */
export interface Random {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  shuffle<Item>(items: readonly Item[]): Item[];
}

export const createRandom = (seed: string): Random => {
  let count = 0;
  const between = (least: number, most: number): number => {
    count += 1;
    const digest = createHash("sha256").update(`${seed} ${count}`).digest();
    return least + (digest.readUInt32LE(0) % (most - least + 1));
  };
  return {
    between,
    shuffle(items) {
      const shuffled: (typeof items)[number][] = [];
      for (const item of items) shuffled.splice(between(0, shuffled.length), 0, item);
      return shuffled;
    },
  };
};
