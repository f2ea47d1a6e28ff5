import type { News } from "../database/news.ts";

/** While notifications arrive, which do not tell of every change, or may be missed. */
const TOLD_LOOK_MILLISECONDS = 1_000;
const LOOK_MILLISECONDS = 500;
const MOST_PER_OWNER = 16;
const MOST = 1_000;

type WaitedNews = Pick<News, "on" | "onBegin" | "isTold" | "ending">;

interface RowWait<Found> {
  id: string;
  read(): Promise<Found>;
  /** Whether this is worth an answer; otherwise it goes on waiting. */
  isEnough(found: Found): boolean;
  milliseconds: number;
  /** Who waits; without one, the wait is not counted. */
  owner?: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits for changes of rows, whichever process makes them, by notifications `<topic> <id> <state>`. A wait holds no connection to the
 * database, and ends when the service begins to stop.
 */
export class RowWaits {
  readonly #news: WaitedNews;
  readonly #topic: string;
  readonly #wakes = new Map<string, Set<() => void>>();
  readonly #byOwner = new Map<string, number>();
  #isListening = false;
  #count = 0;

  constructor(news: WaitedNews, topic: string) {
    this.#news = news;
    this.#topic = topic;
  }

  /** True: whoever waits reads once more, and then no longer waits. */
  get isOver(): boolean {
    return this.#news.ending.aborted;
  }

  /** Reads until that is enough, or after the time. Beyond the limits of waits it reads once. */
  async wait<Found>({ owner, milliseconds, ...wait }: RowWait<Found>): Promise<Found> {
    if (owner === undefined) return await this.#readUntil(wait, milliseconds);
    const own = this.#byOwner.get(owner) ?? 0;
    if (own >= MOST_PER_OWNER || this.#count >= MOST) return await wait.read();
    this.#byOwner.set(owner, own + 1);
    this.#count += 1;
    try {
      return await this.#readUntil(wait, milliseconds);
    } finally {
      this.#count -= 1;
      const left = (this.#byOwner.get(owner) ?? 1) - 1;
      if (left === 0) this.#byOwner.delete(owner);
      else this.#byOwner.set(owner, left);
    }
  }

  async #readUntil<Found>(
    { id, read, isEnough, signal }: Omit<RowWait<Found>, "milliseconds">,
    milliseconds: number,
  ): Promise<Found> {
    this.#listen();
    const until = performance.now() + milliseconds;
    for (;;) {
      // Registered before the row is read, so that no change between the two is missed.
      const change = this.#nextChange(id, signal);
      try {
        const found = await read();
        const left = until - performance.now();
        if (isEnough(found) || left <= 0 || this.isOver || signal?.aborted === true) return found;
        const every = this.#news.isTold() ? TOLD_LOOK_MILLISECONDS : LOOK_MILLISECONDS;
        await change.within(Math.min(left, untilNextLook(id, every)));
      } finally {
        change.leave();
      }
    }
  }

  #nextChange(id: string, signal: AbortSignal | undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const wakes = this.#wakes.get(id) ?? new Set();
    this.#wakes.set(id, wakes.add(wake));
    signal?.addEventListener("abort", wake);
    let timer: NodeJS.Timeout | undefined;
    return {
      within(milliseconds: number): Promise<void> {
        timer = setTimeout(wake, milliseconds);
        return promise;
      },
      leave: (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        wakes.delete(wake);
        if (wakes.size === 0) this.#wakes.delete(id);
      },
    };
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#news.on(this.#topic, (text) => {
      for (const wake of this.#wakes.get(text.slice(0, text.indexOf(" "))) ?? []) wake();
    });
    const wakeAll = () => {
      for (const wakes of this.#wakes.values()) for (const wake of wakes) wake();
    };
    this.#news.onBegin(wakeAll);
    this.#news.ending.addEventListener("abort", wakeAll);
  }
}

/** All who wait for one thing look at the same moments, so that one read can serve them; those for other things, at others. */
function untilNextLook(id: string, every: number): number {
  const phase = [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % every, 0);
  const left = every - ((performance.now() + phase) % every);
  // Not soon after the read before it.
  return Math.ceil(left < every / 2 ? left + every : left);
}
