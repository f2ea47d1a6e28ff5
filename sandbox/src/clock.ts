/** The sandbox's own time: the machine's plus an offset that only `tick` moves. The one place that reads the machine's clock. */
export type Clock = {
  nowMs(): number;
  /** Milliseconds that the sandbox's time is ahead of the machine's. */
  offsetMs(): number;
  moveTo(offsetMs: number): void;
  /** Resolves when the sandbox's time has reached `atMs`, by waiting or by a tick. */
  waitUntil(atMs: number): Promise<void>;
  onMove(listener: () => void): void;
  /** Ends every wait that is still open, without its time having come. */
  close(): void;
};

const LONGEST_TIMER_MS = 2_000_000_000;

export function createClock(readMachineMs: () => number = Date.now): Clock {
  let offset = 0;
  const listeners = new Set<() => void>();
  const openTimers = new Set<NodeJS.Timeout>();
  let closed = false;

  const clock: Clock = {
    nowMs: () => readMachineMs() + offset,
    offsetMs: () => offset,
    moveTo(offsetMs) {
      offset = offsetMs;
      for (const listener of [...listeners]) listener();
    },
    waitUntil(atMs) {
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const check = () => {
          if (timer !== undefined) {
            clearTimeout(timer);
            openTimers.delete(timer);
          }
          if (closed) return;
          const remainingMs = atMs - clock.nowMs();
          if (remainingMs <= 0) {
            listeners.delete(check);
            resolve();
            return;
          }
          timer = setTimeout(check, Math.min(remainingMs, LONGEST_TIMER_MS));
          openTimers.add(timer);
        };
        listeners.add(check);
        check();
      });
    },
    onMove(listener) {
      listeners.add(listener);
    },
    close() {
      closed = true;
      for (const timer of openTimers) clearTimeout(timer);
      openTimers.clear();
      listeners.clear();
    },
  };
  return clock;
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
