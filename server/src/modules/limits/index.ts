export { describeLimits } from "./describe-account.ts";
export { planShownSpend, spendsNothing } from "./plan-spend.ts";
export { type LimitsState, type PeriodState, readLimits } from "./read-limits.ts";
export type { Limits } from "./spend-limits.ts";
