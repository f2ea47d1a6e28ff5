import type { Travelers } from "../travelers/index.ts";
import type { ApprovalOwner } from "./approvals.ts";
import type { Stores } from "./context.ts";

interface NamingPorts {
  readonly travelers: Pick<Travelers, "get">;
  readonly stores: Pick<Stores, "persons">;
}

/** Names are read when they are shown, so that the evidence does not outlive a person's data. Undefined: nobody knows a name. */
export async function nameTraveler(
  { travelers, stores }: NamingPorts,
  { tenantId, environment }: ApprovalOwner,
  userId: string,
): Promise<string | undefined> {
  const { givenName, familyName } = (await travelers.get(tenantId, userId, environment)) ?? {};
  const name = [givenName, familyName].filter((part) => part !== undefined).join(" ");
  return name === "" ? (await stores.persons.find({ tenantId, environment }, userId))?.name : name;
}
