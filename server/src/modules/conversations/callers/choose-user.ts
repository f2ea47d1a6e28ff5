import { invalidInput } from "../../../domain/errors.ts";
import { isSomebodyElse } from "../../../kernel/call/caller.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { Parts, Stores } from "../context.ts";
import { type ConversationOwner, toConversationOwner } from "../conversations.ts";

export interface UserParts extends Pick<Parts, "identity" | "hasDuties"> {
  readonly stores: Pick<Stores, "conversationLinks">;
}

/** The user in whose name a caller converses: the one that it names, or the traveler to whom its key was joined. */
export async function chooseUser(
  { identity, hasDuties, stores }: UserParts,
  principal: Principal,
  userId: string | undefined,
): Promise<string | undefined> {
  const { tenantId, environment, personId, serviceAccountId } = principal;
  if (userId === undefined) {
    if (personId !== undefined) return undefined;
    const subject = { tenantId, environment, kind: "key", subject: serviceAccountId } as const;
    return await stores.conversationLinks.findUser(subject);
  }
  const refuse = (message: string) => invalidInput([{ path: "userId", message }]);
  if (userId !== serviceAccountId && !(await identity.isUser(tenantId, userId, environment))) {
    throw refuse("is not a user of this tenant; create it with PUT /api/travelers/{userId}, or omit it");
  }
  if (await isSomebodyElse(userId, principal, hasDuties)) {
    throw refuse("works for this tenant, so only this person's own key can hold conversations for them");
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
