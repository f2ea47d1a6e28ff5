export type { EscrowBooking, EscrowBookingChange, StepDetails } from "./escrow-bookings.ts";
export { nameText, summaryText } from "./guest-text.ts";
export {
  type AgentAction,
  MOST_WRONG_CODES,
  type NewTrip,
  type StepTransaction,
  TRIP_CLOSED,
  type Trip,
  type TripChange,
  type TripDetails,
  type TripPosition,
} from "./trips.ts";
