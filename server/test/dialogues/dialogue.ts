/**
 * Golden dialogues: what people say, and what must have happened when they are done. They are written without any knowledge of
 * how the rules model reads text, and stay that way: whoever changes the rules does not change what people say.
 */
export interface Dialogue {
  /** Begins with the language: `en-flight-one-way`. */
  readonly id: string;
  readonly language: Language;
  readonly kind: Kind;
  /** Orders and trips that the traveler has before the first message. */
  readonly given?: readonly Given[];
  /**
   * Messages in order. The next one is sent whenever the last turn left nothing open that `answers` answers. Dates are templates
   * (see render-dates.ts).
   */
  readonly say: readonly string[];
  /** The texts that answer questions, by slot. A list is used up in order; its last text is repeated. */
  readonly answers: Answers;
  readonly goal: Goal;
}

export const LANGUAGES = ["en", "de", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

export const KINDS = [
  "one-way",
  "return",
  "several-passengers",
  "child",
  "cabin",
  "price-limit",
  "time-of-day",
  "non-stop",
  "stay",
  "stay-guests",
  "stay-near",
  "stay-refundable",
  "stay-price",
  "choosing",
  "changing",
  "cancelling",
  "trip-state",
  "policy",
  "treasury",
  "eligibility",
  "weather",
  "time",
  "transfer",
  "restaurants",
  // With wishes that nobody here can fulfil.
  "small-talk",
  "no",
  "withdrawal",
] as const;
type Kind = (typeof KINDS)[number];

/** Instead of an answer, the next message of `say` is sent: people ignore questions. Skipped once `say` is used up. */
export const NEXT = "(next)";

export const SLOTS = [
  "origin",
  "destination",
  "departureDate",
  "returnDate",
  "passengers",
  "companions",
  "childAges",
  "cabin",
  "place",
  "checkInDate",
  "checkOutDate",
  "guests",
  "choice",
  "order",
  "email",
  "country",
  "purpose",
  "address",
  "confirmation",
] as const;
type Slot = (typeof SLOTS)[number];
type Answers = { readonly [slot in Slot]?: string | readonly string[] };

export interface GivenFlight {
  readonly origin: string;
  readonly destination: string;
  readonly departureDate: string;
}

export interface GivenStay {
  readonly location: string;
  readonly checkInDate: string;
  readonly checkOutDate: string;
}

export type Given =
  | { readonly flight: GivenFlight }
  | { readonly stay: GivenStay }
  | { readonly trip: { readonly budgetUsdc: string; readonly tripSummary: string } };

/** A list means any of them; a date template stands for each day that it can mean. */
type Expected = string | number | RegExp | { readonly about: number } | readonly (string | number)[];

export interface ExpectedCall {
  readonly tool: string | readonly string[];
  /** Other arguments are free. */
  readonly args?: { readonly [name: string]: Expected };
}

export interface ExpectedFlight {
  readonly from: string | readonly string[];
  readonly to: string | readonly string[];
  readonly on: string;
  readonly back?: string;
  readonly travelers?: number;
  readonly cabin?: string;
  readonly isNonStop?: true;
  /** Local times HH:MM of the first departure; both ends count. */
  readonly departs?: { readonly from?: string; readonly until?: string };
  readonly atMost?: number;
}

interface ExpectedStay {
  readonly from: string;
  readonly to: string;
  readonly guests?: number;
  readonly atMost?: number;
}

export type ExpectedOrder = { readonly flight: ExpectedFlight } | { readonly stay: ExpectedStay };

interface Goal {
  /** Each must have happened with success. */
  readonly calls?: readonly ExpectedCall[];
  /** The orders that hold at the end: these and no others. None are named: nothing may have been bought. */
  readonly orders?: readonly ExpectedOrder[];
  /** Number of orders that are cancelled at the end. */
  readonly cancelled?: number;
  /** Tools that must not have run. */
  readonly never?: readonly string[];
}
