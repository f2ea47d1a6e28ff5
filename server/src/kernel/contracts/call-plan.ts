import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";

/**
 * The places where this deployment holds money for a tenant, besides its treasury wallet.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface Holdings {}

/**
 * A holder of money. This deployment's own accounts have names: the calling tenant's treasury wallet, the service's
 * collection account, and the holdings. Anybody else has an address, in lower case.
 */
export type Party = "treasury" | "collection" | keyof Holdings | Hex;

/** The part of a price that a movement is: the vendor's, the tenant's own, the service's, or the rest of a reservation. */
export type MovementPart = "cost" | "markup" | "service_fee" | "rest";

export interface PlannedMovement {
  /** By CAIP-2. Undefined: the home chain of the caller's environment. */
  chain?: string | undefined;
  /** By CAIP-2, if it arrives on another chain than it leaves. */
  toChain?: string | undefined;
  /** True: the next movement passes this money on, as from a deposit to another chain. Totals count it once. */
  isPartOfNext?: true;
  token: TokenSymbol;
  /** In micro-units of the token. Undefined if the service's records do not know it: the supplier or the chain decides. */
  amount: Micro | undefined;
  /** The amount as the tenant saw it last: the call is refused if it is higher. For previews; a call is judged once the price is known. */
  expected?: Micro | undefined;
  from: Party;
  to: Party;
  /** Set if a price is divided. */
  part?: MovementPart | undefined;
  /** True: this call fixes amount and payee, and a later call moves the money. */
  isLater?: true;
  /** True: a fee comes on top that only the supplier or the chain knows. The call itself judges whether the wallet has enough. */
  hasFeeOnTop?: true;
  /** True: an earlier call counted it against limits, such as the booking of the order that it pays for. */
  isCounted?: true;
}

/** An irreversible consequence of the call. */
export interface PlannedFinality {
  /** In a few words, such as "the vendor is paid". */
  what: string;
  /** The deadline for undoing it. Undefined: `undo` says why. */
  undoableUntil: Temporal.Instant | undefined;
  /** The IANA zone of the place by whose clock the deadline was set, if known. */
  timeZone?: string | undefined;
  /** Without `undoableUntil`: left out if it cannot be undone at all, `not_known` if nobody has told. */
  undo?: "not_known" | undefined;
  /** The cost of undoing it before then. Undefined: nothing, or only the supplier knows. */
  undoCost?: Micro | undefined;
}

/** The end of a transfer between chains, as far as it is known before. */
export interface PlannedArrival {
  /** The most that is taken. */
  fee: Micro;
  /** At least. */
  amountReceived: Micro;
  receivedToken: TokenSymbol;
  expectedBy: Temporal.Instant;
}

/** The tenant's order that a call acts on, for a person who decides about it. */
export interface PlannedSubject {
  /** The airline's booking reference; undefined: it has none. */
  reference: string | undefined;
  orderId: string;
  /** Local times at the airports. Empty for a stay. */
  legs: readonly {
    origin: string;
    destination: string;
    departsAt: Temporal.PlainDateTime | undefined;
    flights: readonly string[];
  }[];
  stay: { name: string; checkInDate: Temporal.PlainDate; checkOutDate: Temporal.PlainDate } | undefined;
}

/** An order that a traveler of the call already has for the same time. */
export interface PlannedOverlap {
  orderId: string;
  /** In whole sentences. */
  warning: string;
}

/** The consequences of a call if nothing refuses it: gates judge it, and a preview shows it. Modules add what their gates judge. */
export interface CallPlan {
  movements: readonly PlannedMovement[];
  /** Money that the wallet must have in addition: it leaves with the rest and comes back in the same transaction. */
  comesBack?: Pick<PlannedMovement, "chain" | "token"> & { amount: Micro };
  /** Hash of the itinerary or ticket bought, if known. */
  boughtHash?: Hex | undefined;
  irreversible: readonly PlannedFinality[];
  /** True: an earlier call has done it or is doing it. This one waits for its answer, and must do nothing if it fails. */
  isRepeat?: true;
  /** A sentence on how the caller can make the records say more about the purchase, if possible. */
  howToKnow?: string | undefined;
  /** For a preview of a transfer between chains. */
  arrival?: PlannedArrival | undefined;
  /** For a preview: what the caller should know first, in whole sentences. */
  warnings?: readonly string[] | undefined;
  /** For a preview: orders of the same travelers for the same time, which a second purchase may duplicate. They are warned of, too. */
  readOverlaps?: (() => Promise<readonly PlannedOverlap[]>) | undefined;
  /** Further remarks for a preview, in whole sentences. */
  remarks?: readonly string[] | undefined;
  /** The same for remarks that are read from records, which only a preview does. They follow the others. */
  readRemarks?: (() => Promise<readonly string[]>) | undefined;
  /** For the question to a person: the order that it acts on, if it buys nothing. */
  readSubject?: (() => Promise<PlannedSubject>) | undefined;
  /** The refusal that the records already imply. For a preview: the run itself refuses. */
  refusal?: Failure | undefined;
  /** Throws the refusal of this moment, such as of a chain that stands still. Only a preview asks: the run finds out by itself. */
  requireNow?: (() => Promise<void>) | undefined;
}

/** Computed when the first gate asks for it, once per call. Reads only the service's own records. */
export type LazyPlan = () => Promise<CallPlan>;

/** A later call for which another one sets money aside. */
export interface PurposeCall {
  tool: string;
  args: object;
}

/**
 * Pays for a purchase in place of the wallet. Only a workflow run names it, and only the modules that add its fields read it.
 *
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add to it by declaration merging.
export interface Cover {}

/** The plan of a call that moves no money and can be undone, or that will be refused. */
export const EMPTY_PLAN: CallPlan = { movements: [], irreversible: [] };

/** The plan of a call that repeats an earlier one: no gate judges it, so it may only return that one's answer (`CallInfo.isRepeat`). */
export const REPEATED_PLAN: CallPlan = { ...EMPTY_PLAN, isRepeat: true };

/** For tools without a plan, such as reads. Shared by all calls, as most calls are reads. */
export const planNothing: LazyPlan = () => Promise.resolve(EMPTY_PLAN);

/** Runs `work` at the first question only. */
export function planOnce(work: LazyPlan): LazyPlan {
  let planned: Promise<CallPlan> | undefined;
  return () => {
    planned ??= work();
    return planned;
  };
}

/** Movements in USDC, as amount, payer and payee. Zero amounts are left out. */
export function usdcMovements(
  ...movements: readonly [amount: Micro, from: Party, to: Party, part?: MovementPart][]
): PlannedMovement[] {
  return movements
    .filter(([amount]) => amount > 0n)
    .map(([amount, from, to, part]) => ({ token: "USDC", amount, from, to, ...(part === undefined ? {} : { part }) }));
}

/** An irreversible consequence. */
export function final(what: string): PlannedFinality {
  return { what, undoableUntil: undefined };
}

/** A consequence that may be reversible, with an unknown deadline. */
export function perhapsFinal(what: string): PlannedFinality {
  return { what, undoableUntil: undefined, undo: "not_known" };
}

/** The same, but a Failure becomes the plan's refusal. */
export async function planOrRefusal(work: () => Promise<CallPlan>): Promise<CallPlan> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return { ...EMPTY_PLAN, refusal: error };
    throw error;
  }
}
