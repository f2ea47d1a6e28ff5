import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Trip = z.object({ tripId: z.string(), budgetUsdc: z.string() });
const example = { tripId: `0x72${"0".repeat(61)}1`, budgetUsdc: "1500.00" };

export const tripEvents = [
  defineTenantEvent({ type: "trip.funded", summary: "The budget of a trip is in escrow.", data: Trip, example }),
  defineTenantEvent({ type: "trip.claimed", summary: "The guest claimed the trip.", data: Trip, example }),
  defineTenantEvent({
    type: "trip.closed",
    summary: "The trip ended, and the rest of its budget was returned.",
    data: Trip.extend({ refundedUsdc: z.string() }),
    example: { ...example, refundedUsdc: "412.50" },
  }),
];
