import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "faucet_request.address": "Hex",
  "faucet_request.transaction_hash": "Hex",
};
