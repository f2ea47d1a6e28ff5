import type { Environment } from "../../ports/identity.ts";
import type { Parts } from "./context.ts";

export type RunParts = Pick<
  Parts,
  | "stores"
  | "clock"
  | "random"
  | "log"
  | "identity"
  | "workflowRunner"
  | "runWaits"
  | "portsFor"
  | "catalog"
  | "activePolicies"
  | "travelers"
>;

/** The caller that starts, reads or resumes a run: a tenant, through its key or an internal token. */
export interface RunCaller {
  tenantId: string;
  keyId: string;
  environment: Environment;
}
