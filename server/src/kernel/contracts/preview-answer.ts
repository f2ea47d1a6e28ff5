import type { Micro } from "../../domain/money.ts";
import type { ToolEffect } from "../../domain/scopes.ts";
import type { CallPlan } from "./call-plan.ts";

/** The answer that a call would get. */
export interface Preview {
  /** Undefined if nothing known before the run refuses it. */
  refusal: Refused | undefined;
  /** Undefined if it is refused before it has a price. */
  tried:
    | { toolName: string; effect: ToolEffect; listPrice: Micro; price: Micro; paidBy: "tenant" | "payment" }
    | undefined;
  allowances: readonly Allowance[];
  /** Warnings for the caller, whether or not the call is refused. */
  warnings: readonly string[];
  /** Ids of the orders that the travelers already have for the same time. */
  overlappingOrderIds: readonly string[];
  plan: CallPlan | undefined;
}

/** As the call would answer. */
export interface Refused {
  code: string;
  detail: string;
  retryable: boolean;
  [member: string]: unknown;
}

/** A limited amount that calls use up: decimal amounts of a token. */
export interface Allowance {
  /** Its name, such as the monthly cap. */
  readonly name: string;
  readonly token: string;
  readonly left: string;
  /** Null if the call's share is unknown before it runs. */
  readonly leftAfter: string | null;
}

export interface PreviewOptions {
  /** A caller asked for it: a refusal is listed among the caller's failed calls. */
  isAsked?: boolean;
}

/** The surface of refused previews among the failed calls. */
export const PREVIEW_SURFACE = "preview";
