import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** What the database cannot say of its columns; the generated table types have it. */
export const columnTypes: ColumnTypes = {
  "booking_invoice.booking_id": "Hex",
  "booking_invoice.network": "Environment",
};
