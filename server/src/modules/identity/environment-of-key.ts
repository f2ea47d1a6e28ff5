import type { Environment } from "../../ports/identity.ts";

/** In which environment a key works, whatever it is labelled: only production keys, where all three say so, meet real money. */
export function environmentOfKey(
  { environment, isBeta }: { environment: Environment; isBeta: boolean },
  networkMode: Environment,
): Environment {
  return networkMode === "sandbox" || isBeta ? "sandbox" : environment;
}
