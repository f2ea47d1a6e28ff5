import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "payment.asset": "Hex",
  "payment.payer": "Hex",
  "payment.nonce": "Hex",
  "payment.pay_to": "Hex",
  "payment.signature": "Hex",
  "payment.transaction_hash": "Hex",
  "payment_payer.network": "Environment",
  "payment_payer.asset": "Hex",
  "payment_payer.payer": "Hex",
};
