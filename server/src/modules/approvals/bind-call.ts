import { hash } from "node:crypto";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Micro } from "../../domain/money.ts";
import type { Purchase } from "../../domain/travel/purchase.ts";
import type { CallPlan } from "../../kernel/contracts/call-plan.ts";
import type { ApprovalCase } from "../policy/index.ts";
import type { Binding } from "./approvals.ts";

export function bindCall(asked: ApprovalCase): Binding {
  const { call, plan } = asked;
  const content = buildContent(asked);
  return {
    callHash: hashValue({ tool: call.tool.name, args: call.args ?? {}, ...whoAsks(call) }),
    contentHash: hashValue(content),
    fareHash: hashFare(asked, content),
    rejectionHash: hashRejection(plan),
    amount: knownAmount(plan),
  };
}

/** Omits the offer's id, which changes when the same flights and fare are found again. Undefined if a part is unknown. */
function hashFare({ call, plan: { bought, offerId } }: ApprovalCase, content: unknown): string | undefined {
  if (offerId === undefined || bought?.kind !== "flight" || bought.legs === undefined) return undefined;
  if (bought.price === undefined) return undefined;
  const others = Object.entries(call.args ?? {}).filter(([, value]) => value !== offerId);
  return hashValue({ tool: call.tool.name, args: Object.fromEntries(others), ...whoAsks(call), content });
}

function whoAsks({ subject, namedUserId }: ApprovalCase["call"]) {
  return namedUserId === undefined || namedUserId === subject ? { subject } : { subject, namedUserId };
}

/** After a person has rejected a purchase or payment, another call for the same does not ask again. */
function hashRejection({ bought, movements, boughtHash, tripId, travelerIds }: CallPlan): string | undefined {
  if (bought === undefined) {
    if (movements.length === 0 || movements.some(({ amount }) => amount === undefined)) return undefined;
    return hashValue({
      boughtHash,
      tripId,
      movements: movements.map(({ chain, token, from, to, amount }) => ({
        chain,
        token,
        from,
        to,
        amount: String(amount),
      })),
    });
  }
  if (!isRecognizable(bought)) return undefined;
  const travelers = [...new Set(bought.travelerIds ?? travelerIds)].toSorted();
  return hashValue({ bought: { ...withoutPrices(bought), travelerIds: travelers } });
}

function isRecognizable(bought: Purchase): boolean {
  return bought.kind === "flight"
    ? bought.legs.every(({ departsAt, flights }) => departsAt !== undefined && flights !== undefined)
    : bought.suppliers !== undefined && bought.checkInDate !== undefined;
}

/** Omits prices, which have a tolerance, and members that do not identify the purchase. */
function buildContent({ call, plan, policyId, version }: ApprovalCase): unknown {
  const { bought, movements, boughtHash, tripId } = plan;
  return {
    travelerId: call.travelerId,
    policyId,
    version,
    boughtHash,
    bought: bought === undefined ? undefined : withoutPrices(bought),
    // The movements of a purchase follow from the purchase, whether the wallet or a trip pays.
    tripId: bought === undefined ? tripId : undefined,
    movements:
      bought === undefined
        ? movements.map(({ chain, token, from, to, isLater }) => ({ chain, token, from, to, isLater }))
        : undefined,
  };
}

const PRICES = ["price", "priceAtLeast", "refundPenalty", "pricePerNight"];
const REMARKS = ["airlines", "comparables", "emissionsKgPerPassenger"];

function withoutPrices(bought: object): object {
  return Object.fromEntries(
    Object.entries(bought).filter(([name]) => !PRICES.includes(name) && !REMARKS.includes(name)),
  );
}

/** The known part of an incomplete price, so that its rise is noticed too. Undefined if nothing is known. */
function knownAmount({ bought, movements }: CallPlan): Micro | undefined {
  if (bought !== undefined) return bought.price ?? bought.priceAtLeast;
  let sum = 0n;
  for (const { amount, isPartOfNext } of movements) {
    if (isPartOfNext === true) continue;
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}

function hashValue(value: unknown): string {
  // Via JSON, which turns times into strings.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return hash("sha256", canonicalJson(plain), "base64url");
}
