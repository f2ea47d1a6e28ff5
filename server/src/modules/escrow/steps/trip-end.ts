import { formatDecimal } from "../../../domain/money.ts";
import { TRIP_CLOSED } from "../../trips/index.ts";
import { giveBackFree } from "../records/trip-money.ts";
import type { TripStepOutcome } from "./step.ts";

/** Shared by a closing and a release. */
export const endTrip: Pick<TripStepOutcome, "apply" | "alongside" | "note"> = {
  apply: (trip) => ({ ...giveBackFree(trip), state: "closed" }),
  async alongside({ runEvents }, { tenantId, environment, tripId }) {
    await runEvents.raise({ tenantId, environment, name: TRIP_CLOSED, subject: tripId, resolution: {} });
  },
  note({ before, after }) {
    const refundedUsdc = formatDecimal(after.refunded - before.refunded);
    const text = `The trip was closed, and ${refundedUsdc} USDC were returned to its funder.`;
    return { text, details: { refundedUsdc } };
  },
};
