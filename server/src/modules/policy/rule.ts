import { formatDecimal, fromNumber, type Micro } from "../../domain/money.ts";
import type { Severity } from "./document.ts";
import type { Facts } from "./facts.ts";

/** A compiled limit of a policy. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  judge(facts: Facts): Judgement;
}

/** Undefined: the rule is kept. `missing` names the unknown facts. */
export type Judgement = Broken | { readonly missing: readonly string[] } | undefined;

export interface Broken {
  readonly limit: string;
  readonly actual: string;
  readonly unit: string;
  readonly text: string;
}

export const missing = (...names: readonly string[]): Judgement => ({ missing: names });

/** Converts an amount of the document, which the schema has validated. */
export function micro(amount: number): Micro {
  const read = fromNumber(amount);
  if (read === undefined) throw new Error(`${amount} is not an amount`);
  return read;
}

export const usd = (amount: Micro): string => formatDecimal(amount);

/** Broken by an amount over its limit. `what` begins the sentence. */
export function over(what: string, limit: Micro, actual: Micro): Broken {
  return {
    limit: usd(limit),
    actual: usd(actual),
    unit: "USD",
    text: `${what} ${usd(actual)} USD, over the limit of ${usd(limit)} USD by ${usd(actual - limit)} USD.`,
  };
}
