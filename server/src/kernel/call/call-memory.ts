import type { Caller } from "../contracts/tool.ts";

/**
 * Hands what the plan of a call has read to its run, which begins moments later: the first `read` of a call is made, later
 * ones get its answer. For what does not change, or what the run compares again where it matters, such as under a lock.
 */
export function rememberInCall<Value>(): (caller: Caller, read: () => Promise<Value>) => Promise<Value> {
  const byCaller = new WeakMap<Caller, Promise<Value>>();
  return (caller, read) => {
    const known = byCaller.get(caller);
    if (known !== undefined) return known;
    const reading = read();
    byCaller.set(caller, reading);
    // A refusal is found again by whoever asks next.
    reading.catch(() => byCaller.delete(caller));
    return reading;
  };
}
