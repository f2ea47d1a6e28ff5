import { stepErrors } from "../escrow/index.ts";

/** Errors for tools that read or write the agent registries; each tool declares those that apply. */
export const registryErrors = {
  chain_not_available: "This network has no agent registries. Use a sandbox key.",
  agent_not_found: "There is no agent with this id. Check the id.",
} as const;

/** Errors for tools that can refer to the caller's own agent. */
export const ownAgentErrors = {
  agent_not_registered:
    "Your own agent is not registered yet. That happens within seconds after the tenant is created. Call again shortly.",
} as const;

export const registryWriteErrors = {
  ...registryErrors,
  step_in_progress: stepErrors.step_in_progress,
  registry_refused: "The registry on the chain refused it. Nothing was recorded.",
} as const;
