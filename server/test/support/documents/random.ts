/** Choices that are the same for the same seed in every run and on every machine. */
export interface Random {
  /** At least 0 and less than 1. */
  fraction(): number;
  /** A whole number; both ends may come. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(share: number): boolean;
  digits(count: number): string;
  /** Letters and digits without look-alikes. */
  code(count: number): string;
}

const CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

export function seededRandom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e_37_79_b1) >>> 0;
  function fraction(): number {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  function pick<Item>(items: readonly Item[]): Item {
    const item = items[between(0, items.length - 1)];
    if (item === undefined) throw new Error("Nothing to pick from.");
    return item;
  }
  const several = (count: number, next: () => string) => Array.from({ length: count }, next).join("");
  return {
    fraction,
    between,
    pick,
    chance: (share) => fraction() < share,
    digits: (count) => several(count, () => String(between(0, 9))),
    code: (count) => several(count, () => CODE_LETTERS.charAt(between(0, CODE_LETTERS.length - 1))),
  };
}
