import type { Environment } from "../../ports/identity.ts";

/** The environment in which a key works, whatever its label: it is production only if key, tenant and deployment all are. */
export function environmentOfKey(
  { environment, isBeta }: { environment: Environment; isBeta: boolean },
  networkMode: Environment,
): Environment {
  return networkMode === "sandbox" || isBeta ? "sandbox" : environment;
}
