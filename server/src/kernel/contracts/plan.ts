import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Purchase } from "./purchase.ts";

/**
 * Where money is. This deployment's own accounts have names: the calling tenant's treasury wallet, the service's collection account,
 * and in the escrow contract the free budget of a trip and the reservation of a booking. Anybody else has an address, in lower case.
 */
export type Party = "treasury" | "collection" | "trip_budget" | "booking_reservation" | Hex;

/** What of a price a movement is: the vendor's, the tenant's own, the service's, or what was reserved and is not needed. */
export type MovementPart = "cost" | "markup" | "service_fee" | "rest";

export interface PlannedMovement {
  token: TokenSymbol;
  /** In micro-units of the token. Undefined: the service's records do not say; the supplier or the chain decides. */
  amount: Micro | undefined;
  /** What `amount` will be, by what the tenant saw last: the call is refused where it is more. For previews; a call is judged once the price is known. */
  expected?: Micro | undefined;
  from: Party;
  to: Party;
  /** Where a price is divided. */
  part?: MovementPart | undefined;
  /** True: this call fixes amount and payee, and a later call moves the money. */
  isLater?: true;
  /** True: an earlier call has counted it against limits, as the booking of the order that it pays for did. */
  isCounted?: true;
}

/** What cannot be taken back any more after the call. */
export interface PlannedFinality {
  /** In a few words, such as "the vendor is paid". */
  what: string;
  /** Until when it can still be undone. Undefined: `undo` says why. */
  undoableUntil: Temporal.Instant | undefined;
  /** Without `undoableUntil`: whether it cannot be undone at all, which is what is left out, or nobody has told. */
  undo?: "not_known" | undefined;
  /** What undoing it costs until then. Undefined: nothing, or only the supplier knows. */
  undoCost?: Micro | undefined;
}

export interface Alternative {
  offerId: string;
  bought: Purchase;
}

/** What a call will do when nothing refuses it: gates judge it, and a preview shows it. */
export interface Plan {
  movements: readonly PlannedMovement[];
  /** What the wallet must have besides, as it leaves it with the rest and comes back in the same transaction. */
  comesBack?: { token: TokenSymbol; amount: Micro };
  /** Hash of what is bought, of an itinerary or a ticket, where it is known. */
  boughtHash?: Hex | undefined;
  /** The trip in escrow that it belongs to, where it is known. */
  tripId?: Hex | undefined;
  irreversible: readonly PlannedFinality[];
  /** What is bought, or what a change makes of it, as the tenant saw it last. Undefined: the call buys nothing. */
  bought?: Purchase | undefined;
  /** Users whom the call names as travelers or books for, as far as they are known: the budgets of each cover it. */
  travelerIds?: readonly string[] | undefined;
  /** By which the call's arguments name what is bought. The same thing found again has another one. */
  offerId?: string;
  /** What else the tenant was shown with it, the cheapest first: for who has to decide about it. */
  alternatives?: (() => Promise<readonly Alternative[]>) | undefined;
  /** True: an earlier call does it, or has done it. This one waits for that one's answer, and may not do it where that one fails. */
  isRepeat?: true;
  /** What the caller can do so that the records say more of what is bought, in a sentence. Undefined: nothing. */
  howToKnow?: string | undefined;
  /** What else who is shown the plan should know, in whole sentences. */
  remarks?: readonly string[] | undefined;
  /** What the call will be told instead, where the records say so already. For a preview: the run itself refuses. */
  refusal?: Failure | undefined;
}

/** Worked out when the first gate asks for it, and once for a call. It reads nothing but the service's own records. */
export type LazyPlan = () => Promise<Plan>;

/** A later call, for which another one sets something aside. */
export interface PurposeCall {
  tool: string;
  args: object;
}

/** What pays for what a call buys, in place of the wallet: the budget of a trip in escrow. Only a run of a workflow names it. */
export interface Cover {
  tripId: string;
  /** What was reserved of it. Undefined: nothing yet, and the call is only judged. */
  bookingId?: string;
}

/** What a call plans that moves no money and that can be undone, or that will be refused. */
export const EMPTY_PLAN: Plan = { movements: [], irreversible: [] };

/** What a call plans that an earlier one makes needless: no gate judges it, so it may only give that one's answer (`CallInfo.isRepeat`). */
export const REPEATED_PLAN: Plan = { ...EMPTY_PLAN, isRepeat: true };

/** For tools without a plan, such as reads. One for all calls, as most calls are reads. */
export const planNothing: LazyPlan = () => Promise.resolve(EMPTY_PLAN);

/** `work` runs at the first question only. */
export function planOnce(work: LazyPlan): LazyPlan {
  let planned: Promise<Plan> | undefined;
  return () => {
    planned ??= work();
    return planned;
  };
}

/** Movements in USDC, as amount, payer and payee. Those of nothing are left out. */
export function usdcMovements(
  ...movements: readonly [amount: Micro, from: Party, to: Party, part?: MovementPart][]
): PlannedMovement[] {
  return movements
    .filter(([amount]) => amount > 0n)
    .map(([amount, from, to, part]) => ({ token: "USDC", amount, from, to, ...(part === undefined ? {} : { part }) }));
}

/** What cannot be undone at all. */
export function final(what: string): PlannedFinality {
  return { what, undoableUntil: undefined };
}

/** What may be possible to undo: nobody has told until when. */
export function perhapsFinal(what: string): PlannedFinality {
  return { what, undoableUntil: undefined, undo: "not_known" };
}

/** The same; what is thrown as a Failure is said as the plan's refusal. */
export async function planOrRefusal(work: () => Promise<Plan>): Promise<Plan> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return { ...EMPTY_PLAN, refusal: error };
    throw error;
  }
}
