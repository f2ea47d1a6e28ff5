import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "booking_invoice.network": "Environment",
};
