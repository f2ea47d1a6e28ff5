import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "chain_network.genesis_hash": "Hex",
  "chain_network.indexed_hash": "Hex",
  "chain_transaction.network": "Environment",
  "chain_transaction.raw": "Hex",
  "chain_transaction.hash": "Hex",
  "chain_transaction.earlier_hashes": "HexList",
  "chain_transaction.block_hash": "Hex",
  "further_escrow.network": "Environment",
  "further_escrow.address": "Hex",
};
