/** There is no room, and too many wait for it, or this one waited too long. */
export class NoTurn extends Error {}

interface Waiting {
  begin(): void;
  timer: NodeJS.Timeout;
}

interface TurnsOptions {
  /** The number of works that an owner may run at once. */
  atOnce: number;
  /** The number of works that an owner may have waiting. */
  mostWaiting: number;
  patienceMilliseconds: number;
}

/** Limits how many works of each owner run at once, so that no owner uses up a shared resource. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #owners = new Map<string, { running: number; waiting: Set<Waiting> }>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  async take<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  async #wait(owner: string): Promise<void> {
    const { atOnce, mostWaiting, patienceMilliseconds } = this.#options;
    const own = this.#owners.get(owner) ?? { running: 0, waiting: new Set() };
    this.#owners.set(owner, own);
    if (own.running < atOnce) {
      own.running += 1;
      return;
    }
    if (own.waiting.size >= mostWaiting) throw new NoTurn();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        own.waiting.delete(one);
        reject(new NoTurn());
      };
      const one: Waiting = { begin: resolve, timer: setTimeout(giveUp, patienceMilliseconds) };
      own.waiting.add(one);
    });
  }

  /** The longest waiting work takes over the room; the count stays the same. */
  #leave(owner: string): void {
    const own = this.#owners.get(owner);
    if (own === undefined) return;
    const [next] = own.waiting;
    if (next === undefined) {
      own.running -= 1;
      if (own.running === 0) this.#owners.delete(owner);
      return;
    }
    own.waiting.delete(next);
    clearTimeout(next.timer);
    next.begin();
  }
}
