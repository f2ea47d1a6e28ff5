import type { Micro } from "../../domain/money.ts";
import type { Effect } from "../../domain/scopes.ts";
import type { Plan } from "./plan.ts";

/** What a call would get. */
export interface Preview {
  /** Undefined: nothing of what is known before the run refuses it. */
  refusal: Refused | undefined;
  /** Undefined: it is refused before it has a price. */
  tried: { toolName: string; effect: Effect; listPrice: Micro; price: Micro; paidBy: "tenant" | "payment" } | undefined;
  allowances: readonly Allowance[];
  /** What the caller should know before the call is made, whether or not it is refused. */
  warnings: readonly string[];
  plan: Plan | undefined;
}

/** As the call would be told. */
export interface Refused {
  code: string;
  detail: string;
  retryable: boolean;
  [member: string]: unknown;
}

/** Something that calls use up: decimal amounts of a token. */
export interface Allowance {
  /** What it is, such as the monthly cap. */
  readonly name: string;
  readonly token: string;
  readonly left: string;
  /** Null: what the call takes of it is not known before it runs. */
  readonly leftAfter: string | null;
}
