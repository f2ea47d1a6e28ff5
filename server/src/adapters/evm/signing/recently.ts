const MOST_REMEMBERED = 10_000;

/** What was seen a short while ago. When there is too much of it, all of it is forgotten. */
export class Recently<Seen> {
  readonly #milliseconds: number;
  readonly #until = new Map<Seen, number>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(seen: Seen): void {
    if (this.#until.size >= MOST_REMEMBERED) this.#until.clear();
    this.#until.set(seen, performance.now() + this.#milliseconds);
  }

  has(seen: Seen): boolean {
    const until = this.#until.get(seen);
    return until !== undefined && performance.now() < until;
  }
}
