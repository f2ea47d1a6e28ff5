import type { Environment, Identity, InternalTokens } from "../../ports/identity.ts";

/** A token as the operator sees it; the token itself is never stored. */
export interface InternalToken {
  id: string;
  name: string;
  /** The first characters, to recognise it by. */
  start: string;
  createdAt: Temporal.Instant;
  rotatedAt: Temporal.Instant | undefined;
  revokedAt: Temporal.Instant | undefined;
  /** The tenants that it acts for, and in which environment. */
  tenants: readonly { tenantId: string; environment: Environment }[];
}

/** What a token does for a tenant is done with a key of the tenant that nobody knows. */
export type TokenKeys = Pick<Identity, "mintKey" | "revokeKey">;

/** What the operator does with tokens; each change is audited with the actor. */
export interface InternalTokenAdministration {
  /** Returns the token this once. */
  issue(name: string, actor: string): Promise<{ token: string; id: string }>;
  /** A new token in place of the old one, which ends at once. Undefined: there is no such token. */
  rotate(id: string, actor: string): Promise<string | undefined>;
  /** False: there is no such token. */
  revoke(id: string, actor: string): Promise<boolean>;
  list(): Promise<readonly InternalToken[]>;
  /** Lets the token act for a tenant. False: there is no such token. */
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
