import { invalidInput } from "../../../domain/errors.ts";
import { isSomebodyElse } from "../../../kernel/call/caller.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { Parts } from "../context.ts";
import { type ConversationOwner, toConversationOwner } from "../conversations.ts";

export type UserParts = Pick<Parts, "identity" | "hasDuties">;

/** The user in whose name a caller converses: undefined for the key's own traveler. */
export async function chooseUser(
  { identity, hasDuties }: UserParts,
  principal: Principal,
  userId: string | undefined,
): Promise<string | undefined> {
  const { tenantId, environment, serviceAccountId } = principal;
  if (userId === undefined) return undefined;
  const refuse = (message: string) => invalidInput([{ path: "userId", message }]);
  if (userId !== serviceAccountId && !(await identity.isUser(tenantId, userId, environment))) {
    throw refuse("is not a user of this tenant; create it with PUT /api/travelers/{userId}, or leave it out");
  }
  if (await isSomebodyElse(userId, principal, hasDuties)) {
    throw refuse("works for this tenant: only this person's own key converses for them");
  }
  return userId;
}

/** The traveler whose conversations the caller means. Throws as `chooseUser` does. */
export async function chooseOwner(
  parts: UserParts,
  principal: Principal,
  userId: string | undefined,
): Promise<ConversationOwner> {
  return toConversationOwner(principal, await chooseUser(parts, principal, userId));
}
