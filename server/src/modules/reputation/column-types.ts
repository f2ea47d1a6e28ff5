import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** What the database cannot say of its columns; the generated table types have it. */
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
