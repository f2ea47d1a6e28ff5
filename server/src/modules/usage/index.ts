export type { CallPayments } from "./charging/call-payments.ts";
export type { Calls } from "./charging/calls.ts";
export { LEFT_BEHIND } from "./charging/store-calls-sql.ts";
export { selectDead } from "./charging/store-calls-sweep.ts";
