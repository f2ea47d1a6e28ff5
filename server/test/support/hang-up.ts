import { setTimeout as delay } from "node:timers/promises";

const AGAIN_MILLISECONDS = 100;

/**
 * Ends a call whose request the supplier's sandbox holds without an answer: the sandbox hangs up until the call has
 * noticed. This needs no short time-out, which a busy machine could miss.
 */
export async function hangUpUntil<Result>(supplierUrl: string, calling: Promise<Result>): Promise<Result> {
  const ended = calling.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([ended, delay(AGAIN_MILLISECONDS, false)]))) {
    const response = await fetch(`${supplierUrl}/_sandbox/hang-up`, { method: "POST" });
    if (!response.ok) throw new Error(`hang-up answered ${response.status}: ${await response.text()}`);
  }
  return await calling;
}
