import type { Provider } from "../platform/providers/provider.ts";
import type { Clock } from "../ports/clock.ts";

/** The last provider where the service has no data of its own, so that the answer says that instead of failing. */
export function knowsNothing(clock: Clock): Provider<unknown, never> {
  return {
    source: "embedded",
    sourceLevel: "embedded",
    attribution: [],
    ask: async () => ({ answer: undefined, asOf: clock.now().toString() }),
  };
}
