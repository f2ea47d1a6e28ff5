import type { Micro } from "../../../domain/money.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { GatewayEvent } from "../../../ports/chain/gateway-reader.ts";
import type { Environment } from "../../../ports/identity.ts";
import type { Purse } from "../../ledger/index.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "gateway.gatewayBooks": GatewayBooks;
  }
}

export interface OwnedEvent {
  tenantId: string;
  event: GatewayEvent;
  /** Set if it is about money that is reserved for a transfer or a withdrawal: how much that is. */
  reserved: Micro | undefined;
  /** The transfer that was burned, if it is one of ours. */
  transferId?: string | undefined;
}

/** How far the wallet contract's events have been read. */
interface GatewayReading {
  block: bigint;
  at: Temporal.Instant;
}

/**
 * Tenants' USDC in the Gateway, in accounts of their own in the ledger. Money enters and leaves them by events of the wallet
 * contract alone, in the same transaction as the reading moves on: at the block up to which a chain was read, a tenant's accounts add up
 * to the contract's `totalBalance`.
 */
export interface GatewayBooks {
  /** The deposits after that block, which the operator does not count yet. */
  depositedAfter(purse: Purse, block: bigint): Promise<Micro>;
  /** Chains of which the ledger has read more blocks than these books, by CAIP-2. */
  listBehind(environment: Environment): Promise<readonly string[]>;
  /** Undefined: this chain's events are not read. */
  reading(chain: ChainKey): Promise<GatewayReading | undefined>;
  /** From then on they are read, beginning after this block. */
  begin(chain: ChainKey, afterBlock: bigint): Promise<void>;
  /** Posts the events up to that block. False if another process was first. */
  advance(chain: ChainKey, from: bigint, to: bigint, events: readonly OwnedEvent[]): Promise<boolean>;
  /** Every tenant's sum at the block up to which was read. */
  custody(chain: ChainKey): Promise<{ block: bigint; tenants: ReadonlyMap<string, Micro> } | undefined>;
  /** available → reserved, as much of the amount as there is; returns how much. In the caller's transaction. */
  reserve(purse: Purse, most: Micro, reference: string): Promise<Micro>;
  /** reserved → available. */
  release(purse: Purse, amount: Micro, reference: string): Promise<void>;
}
