export type { EscrowBooking, EscrowBookingChange, StepDetails } from "./escrow-bookings.ts";
export { nameText, summaryText } from "./guest-text.ts";
export type { StepTransaction } from "./step-transaction.ts";
export {
  type AgentAction,
  type BookedTrip,
  MOST_WRONG_CODES,
  type NewTrip,
  TRIP_CLOSED,
  type Trip,
  type TripChange,
  type TripDetails,
  type TripPosition,
} from "./trips.ts";
