import { Failure } from "../../domain/errors.ts";

/** Errors for tools that take a user's id. */
export const userErrors = {
  user_not_found: "You have no such user. list_travelers lists yours; save_traveler creates one.",
} as const;

/** A tenant may name only itself, which is the default. */
export function requireOwnTenant({ tenantId }: { tenantId: string }, named: string | undefined): void {
  if (named === undefined || named === tenantId) return;
  throw new Failure("tenant_not_found", {
    detail: "The tenant does not exist for this key. Send your own, or omit it.",
  });
}
