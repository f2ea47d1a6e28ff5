import type { Hex } from "../../../server/src/domain/tokens.ts";

/** An authorization signed by a wallet: it pays once. */
export interface Authorization {
  payer: Hex;
  nonce: Hex;
  amount: bigint;
  validAfter: bigint;
  /** Unix seconds. */
  validBefore: bigint;
  signature: Hex;
}

export type PaidTool = "search_flights" | "quote_fx" | "send_tokens" | "book_flight";

/**
 * One thing that a buyer wants once and pays for with one signature, which it repeats until it knows. What the tool does leaves a
 * mark that is nobody else's: the search itself, an address that gets money, an offer.
 */
export interface Purchase {
  number: number;
  tool: PaidTool;
  args: Readonly<Record<string, unknown>>;
  /** Other arguments that were sent with the same signature; only one of both may run. */
  otherArgs: Readonly<Record<string, unknown>> | undefined;
  /** With an API key beside the payment. */
  keyed: boolean;
  authorization: Authorization;
  /** PAYMENT-SIGNATURE. */
  header: string;
  /** Its payer broadcast the authorization itself, before it asked. */
  broadcastFirst: boolean;
  /** Its payer has been emptied meanwhile. */
  drained: boolean;
  /** Milliseconds of the epoch. */
  startedAt: number;
  endedAt: number | undefined;
  /** All answers to buyers. */
  answers: PaidOutcome[];
}

export type PaidOutcome =
  | {
      kind: "paid";
      settlementTx: Hex;
      payer: Hex;
      amount: bigint | undefined;
      meterId: string | undefined;
      result: unknown;
      replayed: boolean;
      other: boolean;
    }
  /** An answer that was paid for before, by another payment. */
  | { kind: "free"; result: unknown; other: boolean }
  /** Refused for good. */
  | { kind: "refused"; code: string; reason: string | undefined; other: boolean }
  /** The buyer knows nothing yet. */
  | { kind: "open"; code: string; other: boolean };

export type PaidAnswer = Extract<PaidOutcome, { kind: "paid" }>;

export const isFinal = ({ kind }: PaidOutcome): boolean => kind !== "open";

export function paidAnswers({ answers }: Purchase): PaidAnswer[] {
  return answers.filter((answer) => answer.kind === "paid");
}

export const authorizationKey = ({ payer, nonce }: { payer: string; nonce: string }): string => `${payer} ${nonce}`;

export const describe = ({ tool, number, authorization }: Purchase): string =>
  `${tool} ${number} (payer ${authorization.payer}, nonce ${authorization.nonce.slice(0, 10)}…)`;
