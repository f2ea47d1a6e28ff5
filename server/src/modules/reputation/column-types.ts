import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "feedback.trip_id": "Hex",
  "feedback.booking_id": "Hex",
  "feedback.feedback_hash": "Hex",
  "feedback.transaction_hash": "Hex",
  "validation.request_hash": "Hex",
  "validation.validator": "Hex",
  "validation.request_transaction_hash": "Hex",
  "validation.response_hash": "Hex",
  "validation.answer_transaction_hash": "Hex",
};
