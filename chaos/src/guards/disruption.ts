import type { Replacement } from "../replace-source.ts";

/** The service without what makes an airline's change harmless: other texts in its source as it is loaded. */
export const withoutDisruptionGuard: Readonly<Record<string, readonly Replacement[]>> = {
  /** A change by the airline that is heard of again starts another run. */
  "one-run": [
    {
      file: "server/src/modules/workflows/replan-changed-orders.ts",
      from: "runKey(changeId)",
      to: "runKey(changeId + Math.random())",
    },
  ],
  /** An order is given back for whatever the airline gives. */
  "whole-refund": [{ file: "server/src/workflows/replan-trip.ts", from: "if (!isWhole)", to: "if (false)" }],
};
