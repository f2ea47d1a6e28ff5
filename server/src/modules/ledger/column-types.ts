import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** What the database cannot say of its columns; the generated table types have it. */
export const columnTypes: ColumnTypes = {
  "ledger_transaction.transaction_hash": "Hex",
  "ledger_transaction.from_address": "Hex",
};
