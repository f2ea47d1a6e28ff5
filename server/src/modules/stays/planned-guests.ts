import type { Caller } from "../../kernel/tool.ts";
import { findOwnCustomer, type Travelers } from "../travelers/index.ts";

/** The users who would stay. Undefined: a guest is only named, or nobody's user. */
export async function plannedGuests(
  { travelers, caller }: { travelers: Travelers; caller: Caller },
  guests: readonly { customerUserId?: string | undefined }[],
): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  for (const { customerUserId } of guests) {
    const userId = customerUserId === undefined ? undefined : await findOwnCustomer(travelers, caller, customerUserId);
    if (userId === undefined) return undefined;
    found.push(userId);
  }
  return found;
}
