import { signInAgain, unauthorized } from "../../domain/errors.ts";
import { hasAnyScope, missingScope, needsRecentSignIn } from "../../domain/scopes.ts";
import { findKeyId } from "../../domain/user-ids.ts";
import { discountPercentByPlan, type Principal } from "../../ports/identity.ts";
import type { CatalogEntry } from "../contracts/catalog.ts";
import type { PendingCall } from "../contracts/charge.ts";
import type { Calling, HasDuties, Payer } from "../contracts/invocation.ts";
import type { Caller } from "../contracts/tool.ts";

/** Throws a Failure if the caller may not call this tool. Returns a promise only for calls that write or spend. */
export function authorize(entry: CatalogEntry, calling: Calling): Promise<Principal> | Principal | Payer {
  const { principal } = calling;
  if (!isPayer(principal)) {
    return entry.tool.effect === "read" ? requireScope(entry, principal) : confirmPrincipal(entry, calling);
  }
  if (!entry.tool.payableWithoutKey) throw unauthorized();
  return principal;
}

async function confirmPrincipal(entry: CatalogEntry, calling: Calling): Promise<Principal> {
  const confirmed = await calling.confirmPrincipal();
  if (confirmed === undefined) throw unauthorized();
  return requireScope(entry, confirmed);
}

function requireScope({ tool, scopes }: CatalogEntry, principal: Principal): Principal {
  if (!hasAnyScope(principal.scopes, scopes)) throw missingScope(tool.name, scopes);
  if (principal.signInAgain === true && spendsOrRules({ tool, scopes })) throw signInAgain();
  return principal;
}

const spendsOrRules = ({ tool, scopes }: Pick<CatalogEntry, "tool" | "scopes">): boolean =>
  tool.effect === "spend" || needsRecentSignIn(scopes);

/** A preview changes nothing, so a sign-in of any age does; the call itself asks for a recent one. */
export function forPreview<Asked extends Calling>(asked: Asked): Asked {
  const { principal } = asked;
  if (isPayer(principal) || principal.signInAgain !== true) return asked;
  const confirmPrincipal = async () => {
    const confirmed = await asked.confirmPrincipal();
    return confirmed && withoutAge(confirmed);
  };
  return { ...asked, principal: withoutAge(principal), confirmPrincipal };
}

const withoutAge = ({ signInAgain: _, ...principal }: Principal): Principal => principal;

/** Says before the call that it will ask for a recent sign-in. */
export function warnSignIn(entry: CatalogEntry, { principal }: Calling): readonly string[] {
  if (isPayer(principal) || principal.signInAgain !== true || !spendsOrRules(entry)) return [];
  return ["You signed in more than 15 minutes ago. Sign in again before you make this call."];
}

export function isPayer(principal: Principal | Payer): principal is Payer {
  return "payer" in principal;
}

/** Whether the call names a user as whom the key may not act, although it may name that user as the traveler. */
export function isSomebodyElse(
  userId: string | undefined,
  principal: Principal | Payer,
  hasDuties: HasDuties,
): Promise<boolean> | boolean {
  if (userId === undefined || isPayer(principal)) return false;
  if (userId === principal.serviceAccountId || userId === principal.personId) return false;
  return findKeyId(userId) !== undefined || hasDuties(principal, userId);
}

/** Undefined for the key's own service account, named or not. */
function findNamedUser(userId: string | undefined, principal: Principal): string | undefined {
  return userId === principal.serviceAccountId ? undefined : userId;
}

function chooseTraveler(userId: string | undefined, principal: Principal | Payer): string {
  if (isPayer(principal)) return namePayer(principal);
  return (
    findNamedUser(userId, principal) ?? principal.personId ?? principal.defaultTravelerId ?? principal.serviceAccountId
  );
}

/** Takes the place of a tenant's or user's id; no record has such an id. */
const namePayer = ({ payer }: Payer): string => `payer:${payer}`;

/** Returns the owner of a call as the books name it. `isElse` is the result of `isSomebodyElse`. */
export function buildOwner(
  userId: string | undefined,
  principal: Principal | Payer,
  isElse: boolean,
): Pick<PendingCall, "tenantId" | "keyId" | "subject" | "namedUserId" | "travelerId"> {
  const travelerId = chooseTraveler(userId, principal);
  if (isPayer(principal)) {
    const name = namePayer(principal);
    return { tenantId: name, keyId: "", subject: name, namedUserId: undefined, travelerId };
  }
  const { tenantId, keyId, personId, serviceAccountId } = principal;
  const namedUserId = findNamedUser(userId, principal);
  const own = personId ?? serviceAccountId;
  return { tenantId, keyId, subject: isElse ? own : (namedUserId ?? own), namedUserId, travelerId };
}

/** Percent of the list price; callers without a key get no discount. */
export function findDiscountPercent(principal: Principal | Payer): number {
  return isPayer(principal) ? 0 : discountPercentByPlan[principal.plan];
}

export function buildCaller(
  call: PendingCall,
  principal: Principal | Payer,
  { leadTravelerId, cover }: Pick<Caller, "leadTravelerId" | "cover">,
): Caller {
  return {
    leadTravelerId,
    tenantId: call.tenantId,
    keyId: call.keyId,
    userId: call.subject,
    namedUserId: call.namedUserId,
    travelerId: call.travelerId,
    environment: principal.environment,
    scopes: isPayer(principal) ? [] : principal.scopes,
    cover,
  };
}
