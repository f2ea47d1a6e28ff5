import type { Mark } from "./marks.ts";

const NOTHING: Mark = {
  kind: "end",
  value: "",
  number: NaN,
  raw: "",
  folded: "",
  isAdjacent: false,
  start: 0,
  end: 0,
};

/** The marks of a message, and which of them a reader has understood already. */
export class Marks {
  readonly list: readonly Mark[];
  readonly #used = new Set<number>();

  constructor(list: readonly Mark[]) {
    this.list = list;
  }

  at(index: number): Mark {
    return this.list[index] ?? NOTHING;
  }

  kind(index: number): string {
    return this.at(index).kind;
  }

  use(from: number, to: number = from): void {
    for (let index = from; index <= to; index += 1) this.#used.add(index);
  }

  isUsed(index: number): boolean {
    return this.#used.has(index);
  }

  /** The indexes of the marks of a kind that nothing has used. */
  find(...kinds: readonly string[]): number[] {
    return this.list.flatMap(({ kind }, index) => (kinds.includes(kind) && !this.#used.has(index) ? [index] : []));
  }

  has(...kinds: readonly string[]): boolean {
    return this.list.some(({ kind }) => kinds.includes(kind));
  }

  /** The next index from `index` in that direction whose mark is not of these kinds. */
  pass(index: number, kinds: readonly string[], step: 1 | -1 = 1): number {
    let at = index;
    while (at >= 0 && at < this.list.length && kinds.includes(this.kind(at))) at += step;
    return at;
  }

  /** Whether the words before say that this is not meant: "not the 6th", "statt Dienstag". */
  isNegated(index: number): boolean {
    const before = this.pass(index - 1, ["skip", "near", "in", "from", "to", "sort", "about"], -1);
    const mark = this.at(before);
    if (mark.kind === "not" || (mark.kind === "instead" && /^(?:en (?:lugar|vez)|statt)/.test(mark.folded)))
      return true;
    // "No el 6" in Spanish, but not "No, el 7".
    if (mark.kind !== "no" || this.list.slice(before, index).some(({ value }) => value === ",")) return false;
    return before > 0 || this.list.slice(index).some(({ folded }) => folded === "sino");
  }
}
