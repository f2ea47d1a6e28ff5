export const HEARTBEAT_MILLISECONDS = 2_000;

/**
 * Renews a lease every few seconds until the returned function is called, which resolves when the last renewal has ended. A
 * failed renewal counts as a missing one: another worker takes over if none succeeds for long enough.
 */
export function startHeartbeat(renew: () => Promise<unknown>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    last = renew().catch(() => undefined);
  }, HEARTBEAT_MILLISECONDS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
  };
}
