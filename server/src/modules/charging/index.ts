export type { CallPayments } from "./call-payments.ts";
export type { Calls } from "./calls.ts";
export { formatMonth } from "./charge-line.ts";
export { LEFT_BEHIND } from "./store-calls-sql.ts";
export { selectDead } from "./store-calls-sweep.ts";
