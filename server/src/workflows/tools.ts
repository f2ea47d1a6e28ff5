import type { Steps as AnySteps } from "../kernel/contracts/workflow.ts";
import type { ToolMap } from "../modules/index.ts";

export type Steps = AnySteps<ToolMap>;
export type Args<Name extends keyof ToolMap> = ToolMap[Name]["input"];
export type Answer<Name extends keyof ToolMap> = ToolMap[Name]["output"];

/** Fields that answers of earlier releases lack, with default values. */
export const earlierAnswers = {
  search_flights: { timeZones: {} },
  preview_call: { warnings: [], overlappingOrderIds: [] },
  book_flight: { coveredUsdc: "0", travelers: [] },
  book_stay: { coveredUsdc: "0", travelers: [] },
  settle_booking: { walletReturn: null, tripFreeUsdc: null },
  cancel_order_quote: { releasedUsdc: "0", notRefundedBecause: null },
  confirm_cancel_order: { releasedUsdc: "0" },
};

/** Throws if the value is missing, which no caller can fix: the run stays and is tried again. */
export function required(value: string | null, name: string): string {
  if (value === null) throw new Error(`The answer has no ${name}.`);
  return value;
}
