import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** What the database cannot say of its columns; the generated table types have it. */
export const columnTypes: ColumnTypes = {
  "chain_network.genesis_hash": "Hex",
  "chain_network.indexed_hash": "Hex",
  "chain_transaction.network": "Environment",
  "chain_transaction.raw": "Hex",
  "chain_transaction.hash": "Hex",
  "chain_transaction.earlier_hashes": "HexList",
  "chain_transaction.block_hash": "Hex",
};
