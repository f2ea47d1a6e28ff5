import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { appendAudit } from "../identity/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "sandbox.sandboxLog": SandboxLog;
  }
}

interface SandboxAction {
  tenantId: string;
  actor: string;
  /** For example `sandbox.fault`. */
  action: string;
  subjectId?: string;
  details: Readonly<Record<string, unknown>>;
}

export interface SandboxLog {
  /** Call it before the action: a simulator may do it although its answer is lost. */
  write(action: SandboxAction): Promise<void>;
}

export function createSandboxLog(queryable: Queryable, clock: Clock): SandboxLog {
  return { write: (action) => appendAudit(queryable, { ...action, environment: "sandbox" }, clock) };
}
