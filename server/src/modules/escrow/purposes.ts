/** What chain transactions of trips are for; step-machine/end-step.ts knows by it what their ends change. */
export const TRIP_PREFUND_PURPOSE = "trip_prefund";
/** Steps of a trip as a whole. */
export const ESCROW_TRIP_PURPOSE = "escrow_trip";
export const ESCROW_BOOKING_PURPOSE = "escrow_booking";
