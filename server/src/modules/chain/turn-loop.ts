export interface Turn {
  /** How much was open in it. */
  open: number;
  /** Whether any of it got on: then the next look comes at once. */
  moved: boolean;
}

export interface TurnLoopOptions {
  turn(): Promise<Turn>;
  timing: {
    /** Between two turns while something is open. */
    pollMs: number;
    /** While nothing is. */
    idleMs: number;
    /** After a turn that failed. */
    failedMs: number;
  };
  /** Of the first failure in a row. */
  onFailure(error: unknown): void;
}

export interface TurnLoop {
  start(): void;
  /** There is something new: the next turn begins now or, when one is under way, after it; `atOnce`: beside it. */
  wake(atOnce?: boolean): void;
  /** Resolves when a turn that is to begin at once could, or that takes long. */
  room(): Promise<void>;
  /** Resolves when no turn is under way any more, or that takes too long. */
  stop(): Promise<void>;
}

/** While so many turns are under way beside the loop's own, the next one waits for an end of one of them. */
const MOST_BESIDE = 1;
const STOP_MS = 1_000;
const ROOM_MS = 1_000;

/**
 * Takes one turn after the other for as long as there is work, and a few beside it for what must not wait for earlier work. A turn
 * must leave alone what another one has in hand.
 */
export function createTurnLoop({ turn, timing, onFailure }: TurnLoopOptions): TurnLoop {
  const stopping = new AbortController();
  const beside = new Set<Promise<void>>();
  let running: Promise<void> | undefined;
  let wakeUp: (() => void) | undefined;
  /** Something came that no turn has begun for yet. */
  let isWoken = false;
  /** A turn beside has left something open, which the loop looks after. */
  let isLeft = false;
  let isFailing = false;
  let freed = Promise.withResolvers<void>();

  function tellOfRoom(): void {
    freed.resolve();
    freed = Promise.withResolvers();
  }

  async function takeTurn(): Promise<{ pause: number; isOpen: boolean }> {
    try {
      const { open, moved } = await turn();
      isFailing = false;
      if (open === 0) return { pause: timing.idleMs, isOpen: false };
      return { pause: moved ? 0 : timing.pollMs, isOpen: true };
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
      return { pause: timing.failedMs, isOpen: true };
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      isLeft = false;
      const own = await takeTurn();
      const pause = isLeft && !isFailing ? Math.min(own.pause, timing.pollMs) : own.pause;
      if (!isWoken && pause > 0 && !stopping.signal.aborted) await sleep(pause);
    }
  }

  async function runBeside(): Promise<void> {
    do {
      isWoken = false;
      const { isOpen } = await takeTurn();
      if (!isOpen) continue;
      isLeft = true;
      if (!isFailing) wakeUp?.();
    } while (isWoken && !isFailing && !stopping.signal.aborted);
  }

  async function sleep(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeUp = resolve;
    tellOfRoom();
    const timer = setTimeout(resolve, milliseconds);
    timer.unref();
    await promise;
    wakeUp = undefined;
    clearTimeout(timer);
  }

  return {
    start() {
      running ??= run();
    },
    wake(atOnce = false) {
      isWoken = true;
      const mayBegin = running !== undefined && !isFailing && !stopping.signal.aborted;
      if (wakeUp !== undefined) wakeUp();
      else if (atOnce && mayBegin && beside.size < MOST_BESIDE) {
        const one = runBeside();
        beside.add(one);
        void one.finally(() => {
          beside.delete(one);
          tellOfRoom();
        });
      }
    },
    async room() {
      let isLate = false;
      const late = after(ROOM_MS).then(() => {
        isLate = true;
      });
      while (wakeUp === undefined && beside.size >= MOST_BESIDE && !isLate) await Promise.race([freed.promise, late]);
    },
    async stop() {
      stopping.abort();
      wakeUp?.();
      // What does not answer must not keep a stop waiting: every step is as durable as it will be.
      await Promise.race([Promise.all([running, ...beside]), after(STOP_MS)]);
    },
  };
}

/** It keeps no process alive. */
function after(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds).unref();
  return promise;
}
