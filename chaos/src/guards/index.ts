import { fileURLToPath } from "node:url";
import type { AppOptions } from "../../../server/src/compose.ts";
import { withoutApprovalUse, withoutFourEyes, withoutOneDecision } from "./approvals.ts";
import { withoutChainLookUp } from "./chain.ts";
import { withoutReservedLimits } from "./limits.ts";
import { withoutPaidClaim } from "./payments.ts";
import { withoutServicingLookup } from "./supplier.ts";
import { withoutDurableFlush, withoutIdempotency, withoutIdempotencyOfReservations } from "./usage.ts";
import { withoutNotifications, withoutTakeOver, withoutUndo } from "./workflows.ts";

const LATE_DEVNET = fileURLToPath(new URL("./late-devnet.ts", import.meta.url));

/** The service without one of its guards, by the guard's name: a run against it must fail, unless the guard says otherwise. */
export const withoutGuard: Readonly<Record<string, () => Pick<AppOptions, "decorate" | "devnetProgram">>> = {
  idempotency: () => ({ decorate: { calls: withoutIdempotency, stores: withoutIdempotencyOfReservations } }),
  "durable-flush": () => ({ decorate: { calls: withoutDurableFlush } }),
  "chain-look-up": () => ({ decorate: withoutChainLookUp() }),
  "chain-log": () => ({ devnetProgram: LATE_DEVNET }),
  "reserved-limits": () => ({ decorate: { gates: withoutReservedLimits } }),
  "paid-claim": () => ({ decorate: { stores: withoutPaidClaim } }),
  undo: () => ({ decorate: { workflows: withoutUndo } }),
  notifications: () => ({ decorate: { news: withoutNotifications } }),
  "take-over": () => ({ decorate: { stores: withoutTakeOver } }),
  "approval-use": () => ({ decorate: { approvals: withoutApprovalUse } }),
  "four-eyes": () => ({ decorate: { stores: withoutFourEyes } }),
  "one-decision": () => ({ decorate: { stores: withoutOneDecision } }),
  "servicing-lookup": () => ({ decorate: { suppliers: withoutServicingLookup } }),
};
