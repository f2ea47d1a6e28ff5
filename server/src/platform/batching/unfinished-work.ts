/** Background work that no caller waits for to the end: a stop waits for it, and a failure does not end the process. */
export class UnfinishedWork {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Reports a failure here, as no caller sees it. */
  track(work: Promise<unknown>): void {
    this.#add(work.then(() => undefined).catch((error: unknown) => this.#onFailure(error)));
  }

  /** A failure goes to whoever awaits the returned promise. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#add(
      work.then(
        () => undefined,
        () => undefined,
      ),
    );
    return work;
  }

  /** Resolves when the current work has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #add(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
