import { inTrace } from "../../../domain/trace.ts";

export interface Turn {
  /** The number of open rows. */
  open: number;
  /** Whether any advanced: then the next turn follows at once. */
  moved: boolean;
}

export interface TurnLoopOptions {
  turn(): Promise<Turn>;
  timing: {
    /** Between two turns while something is open. */
    pollMilliseconds: number;
    /** While nothing is open. */
    idleMilliseconds: number;
    /** After a failed turn. */
    failedMilliseconds: number;
  };
  /** Called for the first failure in a row. */
  onFailure(error: unknown): void;
}

/** With this many turns beside the loop's own, the next one waits until one of them ends. */
const MOST_BESIDE = 1;
const STOP_MILLISECONDS = 1_000;
const ROOM_MILLISECONDS = 1_000;

/**
 * Takes turns in sequence while there is work, and a few in parallel for work that must not wait for earlier work. A
 * turn must skip the rows of another one.
 */
export class TurnLoop {
  readonly #options: TurnLoopOptions;
  readonly #stopping = new AbortController();
  readonly #beside = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  /** Ends the loop's current pause, if there is one. */
  #endPause: (() => void) | undefined;
  /** Woken, and no turn has begun since. */
  #isWoken = false;
  /** A parallel turn left something open, which the loop takes over. */
  #isLeft = false;
  #isFailing = false;
  #freed = Promise.withResolvers<void>();

  constructor(options: TurnLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Announces new work: the next turn begins now or, if one is running, after it; with `atOnce`, beside it. */
  wake(atOnce = false): void {
    this.#isWoken = true;
    const mayBegin = this.#running !== undefined && !this.#isFailing && !this.#stopping.signal.aborted;
    if (this.#endPause !== undefined) this.#endPause();
    else if (atOnce && mayBegin && this.#beside.size < MOST_BESIDE) inTrace(undefined, () => this.#beginBeside());
  }

  /** Resolves when a turn could begin at once, or after a time limit. */
  async room(): Promise<void> {
    let isLate = false;
    const late = after(ROOM_MILLISECONDS).then(() => {
      isLate = true;
    });
    while (this.#endPause === undefined && this.#beside.size >= MOST_BESIDE && !isLate) {
      await Promise.race([this.#freed.promise, late]);
    }
  }

  /** Resolves when no turn is running any more, or after a time limit. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#endPause?.();
    // A hanging node must not delay a stop: every finished step is durable.
    await Promise.race([Promise.all([this.#running, ...this.#beside]), after(STOP_MILLISECONDS)]);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false;
      this.#isLeft = false;
      const own = await this.#takeTurn();
      const { pollMilliseconds } = this.#options.timing;
      const pause = this.#isLeft && !this.#isFailing ? Math.min(own.pause, pollMilliseconds) : own.pause;
      if (!this.#isWoken && pause > 0 && !this.#stopping.signal.aborted) await this.#pause(pause);
    }
  }

  #beginBeside(): void {
    const one = this.#runBeside();
    this.#beside.add(one);
    void one.finally(() => {
      this.#beside.delete(one);
      this.#tellOfRoom();
    });
  }

  async #runBeside(): Promise<void> {
    do {
      this.#isWoken = false;
      const { isOpen } = await this.#takeTurn();
      if (!isOpen) continue;
      this.#isLeft = true;
      if (!this.#isFailing) this.#endPause?.();
    } while (this.#isWoken && !this.#isFailing && !this.#stopping.signal.aborted);
  }

  async #takeTurn(): Promise<{ pause: number; isOpen: boolean }> {
    const { turn, timing, onFailure } = this.#options;
    try {
      const { open, moved } = await turn();
      this.#isFailing = false;
      if (open === 0) return { pause: timing.idleMilliseconds, isOpen: false };
      return { pause: moved ? 0 : timing.pollMilliseconds, isOpen: true };
    } catch (error) {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
      return { pause: timing.failedMilliseconds, isOpen: true };
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    this.#tellOfRoom();
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    await promise;
    this.#endPause = undefined;
    clearTimeout(timer);
  }

  #tellOfRoom(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }
}

/** Does not keep the process alive. */
function after(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds).unref();
  return promise;
}
