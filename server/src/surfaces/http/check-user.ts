import { invalidInput } from "../../domain/errors.ts";
import type { Identity, Principal } from "../../ports/identity.ts";

/** Throws `invalid_input` unless the call may run for this user; undefined: the key's own service account. */
export async function checkUser(
  userId: string | undefined,
  principal: Principal,
  identity: Pick<Identity, "isUser">,
  path: string,
): Promise<void> {
  if (userId === undefined || userId === principal.serviceAccountId) return;
  if (await identity.isUser(principal.tenantId, userId, principal.environment)) return;
  throw invalidInput([
    { path, message: "is not a user of this tenant; create it with PUT /api/travelers/{userId}, or omit it" },
  ]);
}
