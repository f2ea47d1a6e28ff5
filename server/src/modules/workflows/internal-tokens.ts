import type { Environment, Identity, InternalTokens } from "../../ports/identity.ts";

/** A token as the operator sees it; the token itself is never stored. */
export interface InternalToken {
  id: string;
  name: string;
  /** Its first characters, for recognition. */
  start: string;
  createdAt: Temporal.Instant;
  rotatedAt: Temporal.Instant | undefined;
  revokedAt: Temporal.Instant | undefined;
  /** The tenants that it acts for, each with an environment. */
  tenants: readonly { tenantId: string; environment: Environment }[];
}

/** A token acts for a tenant through a tenant key that is never shown. */
export type TokenKeys = Pick<Identity, "mintKey" | "revokeKey">;

/** The operator's actions on tokens; each change is audited with the actor. */
export interface InternalTokenAdministration {
  /** Returns the token, which is shown only here. */
  issue(name: string, actor: string): Promise<{ token: string; id: string }>;
  /** Replaces the token, which ends at once. Undefined: there is no such token. */
  rotate(id: string, actor: string): Promise<string | undefined>;
  /** False: there is no such token. */
  revoke(id: string, actor: string): Promise<boolean>;
  list(): Promise<readonly InternalToken[]>;
  /** Allows the token to act for a tenant. False: there is no such token. */
  bind(
    keys: TokenKeys,
    id: string,
    to: { tenantId: string; environment: Environment },
    actor: string,
  ): Promise<boolean>;
  /** False: it was not bound. */
  unbind(keys: TokenKeys, id: string, tenantId: string, actor: string): Promise<boolean>;
}

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "workflows.internalTokens": InternalTokens;
    readonly "workflows.internalTokenAdministration": InternalTokenAdministration;
  }
}
