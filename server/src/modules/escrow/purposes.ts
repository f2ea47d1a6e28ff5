/** Purposes of trips' chain transactions, by which step-machine/end-step.ts finds the changes at their ends. */
export const TRIP_PREFUND_PURPOSE = "trip_prefund";
/** Steps of a trip as a whole. */
export const ESCROW_TRIP_PURPOSE = "escrow_trip";
export const ESCROW_BOOKING_PURPOSE = "escrow_booking";
