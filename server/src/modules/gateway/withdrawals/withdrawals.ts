import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { SignedTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { Purse } from "../../ledger/index.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "gateway.gatewayWithdrawals": GatewayWithdrawals;
  }
}

export const withdrawalStates = ["requested", "waiting", "completed", "failed"] as const;

/** The wallet sends two transactions: one begins the delay, the other takes the money out. */
export interface GatewayWithdrawal extends ChainKey {
  /** `gwd_…` */
  id: string;
  tenantId: string;
  address: Hex;
  amount: Micro;
  /** waiting: the delay has begun. */
  state: (typeof withdrawalStates)[number];
  /** The latest gift of gas, which on a development chain also makes a block. */
  gasTransactionId: string | null;
  /** The transaction that the wallet sends now; null: none. */
  sent: (SignedTransaction & { nonce: number }) | null;
  hashes: readonly Hex[];
  withdrawalBlock: bigint | null;
  failure: string | null;
}

type Change = Partial<
  Pick<GatewayWithdrawal, "state" | "gasTransactionId" | "sent" | "withdrawalBlock" | "failure"> & {
    /** Null: it has ended. */
    nextAt: Temporal.Instant | null;
  }
>;

/** A tenant has one open withdrawal for each chain. */
export interface GatewayWithdrawals {
  /** False: another one is open. */
  insert(withdrawal: Pick<GatewayWithdrawal, "id" | "tenantId" | "address" | "amount"> & ChainKey): Promise<boolean>;
  get(id: string): Promise<GatewayWithdrawal | undefined>;
  /** The latest one, open or not. */
  findLast(owner: Omit<Purse, "token">): Promise<GatewayWithdrawal | undefined>;
  /** Those that have not ended, oldest first: at most one for each chain. */
  listOpen(owner: Pick<Purse, "tenantId" | "environment">): Promise<readonly GatewayWithdrawal[]>;
  /** The withdrawal that one of these transactions belongs to, by hash. */
  findByHashes(chain: ChainKey, hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, GatewayWithdrawal>>;
  /** Leases those that are due. */
  takeDue(limit: number): Promise<readonly GatewayWithdrawal[]>;
  wake(id: string): Promise<void>;
  /** Guarded by the transaction that it sends and by its state: false if another process was first. */
  advance(from: GatewayWithdrawal, change: Change): Promise<boolean>;
}
