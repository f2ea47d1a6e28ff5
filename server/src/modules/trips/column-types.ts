import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "trip.trip_id": "Hex",
  "trip.escrow": "Hex",
  "trip.funder": "Hex",
  "trip.code_nonce": "Hex",
  "trip.guest_wallet": "Hex",
  "escrow_booking.booking_id": "Hex",
  "escrow_booking.trip_id": "Hex",
  "escrow_booking.vendor": "Hex",
  "escrow_booking.itinerary_hash": "Hex",
  "escrow_booking.ticket_hash": "Hex",
  "escrow_booking.network": "Environment",
  "escrow_step.trip_id": "Hex",
  "escrow_step.booking_id": "Hex",
  "escrow_step.transaction_hash": "Hex",
  "escrow_step.network": "Environment",
  "agent_action.action_id": "Hex",
  "agent_action.trip_id": "Hex",
  "agent_action.transaction_hash": "Hex",
  "agent_action.network": "Environment",
};
