import { z } from "zod";
import type { Condition, FlightOffer } from "../../../ports/supplier/flights.ts";
import { Amount, Currency, described } from "../wire.ts";

/** Whether refunds or changes are allowed before the departure, and their fee. */

export const WireCondition = described(
  z.object({
    allowed: z.boolean(),
    penalty_amount: described(Amount),
    penalty_currency: described(Currency),
  }),
);

export const WireConditions = described(
  z.object({ refund_before_departure: WireCondition, change_before_departure: WireCondition }),
);

export function toCondition(condition: z.infer<typeof WireCondition> | undefined): Condition | null {
  if (!condition) return null;
  const { allowed, penalty_amount: penaltyAmount, penalty_currency: penaltyCurrency } = condition;
  return { allowed, penaltyAmount, penaltyCurrency };
}

export function toConditions(conditions: z.infer<typeof WireConditions>): FlightOffer["conditions"] {
  return {
    refundBeforeDeparture: toCondition(conditions?.refund_before_departure),
    changeBeforeDeparture: toCondition(conditions?.change_before_departure),
  };
}
