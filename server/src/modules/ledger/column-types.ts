import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "ledger_transaction.transaction_hash": "Hex",
  "ledger_transaction.from_address": "Hex",
};
