/** Work that nobody waits for any more, or not to its end: a stop waits for it, and a failure does not end the process. */
export class UnfinishedWork {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Its failure is reported here, as nobody else hears of it. */
  track(work: Promise<unknown>): void {
    this.#add(work.then(() => undefined).catch((error: unknown) => this.#onFailure(error)));
  }

  /** Its failure is for who waits for what this returns. */
  hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#add(
      work.then(
        () => undefined,
        () => undefined,
      ),
    );
    return work;
  }

  /** Resolves when what runs now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #add(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
