import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "cross_chain_transfer.recipient": "Hex",
  "cross_chain_transfer.detail": "JsonObject",
};
