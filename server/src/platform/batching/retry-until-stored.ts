export interface RetryUntilStored {
  /** True: the server was away, and says nothing about what was done. */
  isTransient(error: unknown): boolean;
  pause(milliseconds: number): Promise<void>;
  pauseMilliseconds: number;
}

/**
 * Writes again and again until the database has answered. Safe only for what can be written twice: an answer that was lost says
 * nothing about what was done.
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
