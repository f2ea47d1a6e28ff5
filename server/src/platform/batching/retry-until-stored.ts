export interface RetryUntilStored {
  /** True: the server was away, and the outcome is unknown. */
  isTransient(error: unknown): boolean;
  pause(milliseconds: number): Promise<void>;
  pauseMilliseconds: number;
}

/**
 * Retries a write until the database answers. Use it only for idempotent writes: after a lost answer the outcome is unknown.
 */
export async function retryUntilStored<Result>(
  { isTransient, pause, pauseMilliseconds }: RetryUntilStored,
  write: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await pause(pauseMilliseconds);
    }
  }
}
