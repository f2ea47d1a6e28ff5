import type { Purchase } from "../../domain/travel/purchase.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { ApprovalCase, Deciders } from "../policy/index.ts";
import { type ApprovalOwner, toOwner } from "./approvals.ts";
import type { Stores } from "./context.ts";
import { listDeciders } from "./decide-approval.ts";

/** Further ones are not named. */
const MOST_NAMED = 10;
const LONGEST_NAME = 200;

/** Tells a refused caller who decides, and where. */
export interface Directions {
  /** Without a slash at the end. */
  appUrl: string;
  /** Whether the deciders are written to. */
  canMail(owner: Pick<ApprovalOwner, "tenantId" | "environment">): Promise<boolean>;
}

export async function findDeciders(
  stores: Pick<Stores, "persons">,
  { call, plan, terms: { role } }: ApprovalCase,
  directions: Directions,
): Promise<Deciders> {
  const purpose = (await call.purpose?.())?.bought;
  const found = await listDeciders(stores, {
    ...toOwner(call),
    role,
    requestedBy: call.subject,
    requestedKeyId: call.keyId,
    travelerId: call.travelerId,
    evidence: { bought: showTravelers(plan.bought), purpose: showTravelers(purpose) },
  });
  return await nameDeciders(found, { ...toOwner(call), role }, directions);
}

export async function nameDeciders(
  found: readonly { id: string; name: string }[],
  {
    tenantId,
    environment,
    role,
  }: Pick<ApprovalOwner, "tenantId" | "environment"> & Pick<ApprovalCase["terms"], "role">,
  { appUrl, canMail }: Directions,
): Promise<Deciders> {
  const who = `A person with the role ${role === "admin" ? role : `${role} or admin`} decides`;
  const deciders = found
    .slice(0, MOST_NAMED)
    .map(({ id, name }) => ({ userId: id, name: toVisibleText(name, LONGEST_NAME) }));
  if (deciders.length === 0) {
    return {
      deciders,
      says: `${who}, but nobody may: the requester and the travelers cannot. The operator adds a person with npm run user -- add --tenant ${tenantId} --roles ${role}.`,
    };
  }
  const where = (await canMail({ tenantId, environment }))
    ? "They get an email with a link to the page where they decide."
    : `They get no email, because no mail server is set up: tell them. ${appUrl}/docs/approvals explains how each opens the page with their own key.`;
  return { deciders, says: `${who}; see deciders. ${where}` };
}

/** The form in which an approval's evidence names them. */
function showTravelers(bought: Purchase | undefined) {
  return bought === undefined ? null : { travelerIds: bought.travelerIds ?? null };
}
