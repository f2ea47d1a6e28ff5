const FAILURES_TO_OPEN = 3;
const FIRST_PAUSE_MILLISECONDS = 30_000;
const LONGEST_PAUSE_MILLISECONDS = 600_000;

/**
 * Stops asking a provider that keeps failing, so that it does not slow every call. After each pause one request tries again; a
 * further failure doubles the pause.
 */
export class Circuit {
  #failures = 0;
  #closedUntil = 0;

  /** Whether a request may be sent. The trial request after a pause has the time of another pause to come back. */
  admits(nowMilliseconds: number): boolean {
    if (this.#failures < FAILURES_TO_OPEN && nowMilliseconds >= this.#closedUntil) return true;
    if (nowMilliseconds < this.#closedUntil) return false;
    this.#closedUntil = nowMilliseconds + FIRST_PAUSE_MILLISECONDS;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#closedUntil = 0;
  }

  /** `pauseMilliseconds`: how long the provider asked to be left alone. */
  failed(nowMilliseconds: number, pauseMilliseconds = 0): void {
    this.#failures += 1;
    const doublings = this.#failures - FAILURES_TO_OPEN;
    const own = doublings < 0 ? 0 : FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(doublings, 10);
    const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, Math.max(own, pauseMilliseconds));
    this.#closedUntil = Math.max(this.#closedUntil, nowMilliseconds + pause);
  }
}
