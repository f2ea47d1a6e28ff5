import type { ColumnType, Generated } from "kysely";
import type { Hex } from "../../../domain/tokens.ts";
import type { ChainTransactionState, ChainTransactionStep } from "../../../ports/chain-transactions.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { WalletKind } from "../../../ports/wallets.ts";

/** Written as ISO 8601 text, read as Temporal.Instant. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;

/** Written as JSON text. */
type Json = ColumnType<unknown, string, string>;

export interface ChainTransactionTable {
  id: string;
  network: Environment;
  idempotency_key: string;
  tenant_id: string | null;
  call_id: string | null;
  /** What the call was asked with, when it was asked with an idempotency key. */
  request_key: string | null;
  purpose: string;
  chain_order: Json;
  result: ColumnType<unknown, string | null, string | null>;
  state: Generated<ChainTransactionState>;
  step: Generated<ChainTransactionStep>;
  signer_id: string | null;
  nonce: bigint | null;
  raw: Hex | null;
  hash: Hex | null;
  earlier_hashes: Generated<Hex[]>;
  failure: string | null;
  block_number: bigint | null;
  block_hash: Hex | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ChainTables {
  chain_network: {
    network: Environment;
    chain_id: bigint;
    genesis_hash: Hex;
    contracts: ColumnType<unknown, string | undefined, string>;
    indexed_number: bigint;
    indexed_hash: Hex;
    stopped_because: string | null;
    updated_at: Timestamp;
  };
  wallet: {
    id: string;
    network: Environment;
    kind: WalletKind;
    tenant_id: string | null;
    address: Hex;
    encrypted_key: string;
    next_nonce: Generated<bigint>;
    created_at: Timestamp;
  };
  chain_transaction: ChainTransactionTable;
}
