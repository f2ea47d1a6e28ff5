import { createHash } from "node:crypto";

/** Decisions that repeat with the seed. Each concern draws from a stream of its own, so that one does not shift another. */
export interface Random {
  /** From 0 up to and without 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
  /** A stream of its own, the same for the same name. */
  fork(name: string): Random;
}

export function createRandom(seed: string): Random {
  const digest = createHash("sha256").update(seed).digest();
  let [a, b, c, d] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1];

  // sfc32: small, fast and well tested; nothing here is a secret.
  function next(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    shuffle(items) {
      const shuffled: (typeof items)[number][] = [];
      for (const item of items) shuffled.splice(between(0, shuffled.length), 0, item);
      return shuffled;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}
