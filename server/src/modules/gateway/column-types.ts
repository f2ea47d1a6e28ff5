import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "gateway_withdrawal.address": "Hex",
  "gateway_withdrawal.raw": "Hex",
  "gateway_withdrawal.hash": "Hex",
  "gateway_withdrawal.hashes": "HexList",
};
