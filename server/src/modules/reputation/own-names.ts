import { Failure } from "../../domain/errors.ts";

/** For tools that take a user's id to declare. */
export const userErrors = {
  user_not_found: "You have no such user. list_travelers lists yours; save_traveler creates one.",
} as const;

/** A tenant names nobody but itself. Left out: itself. */
export function requireOwnTenant({ tenantId }: { tenantId: string }, named: string | undefined): void {
  if (named === undefined || named === tenantId) return;
  throw new Failure("tenant_not_found", { detail: "The tenant does not exist for this key. Send your own, or none." });
}
