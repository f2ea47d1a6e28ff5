import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Wallet } from "../../ports/chain/wallets.ts";
import type { Environment } from "../../ports/identity.ts";
import type { WalletOwner } from "../ledger/index.ts";

export interface OwnedAddress {
  owner: WalletOwner;
  sinceBlock: bigint;
}

/**
 * The wallets of this deployment: on each chain one treasury per tenant, and one wallet of each other kind.
 * Their keys are generated, stored encrypted with the master key, and never leave the adapter that signs with them.
 */
export interface Wallets {
  /** Creates the key the first time. */
  ensure(chain: ChainKey, kind: "treasury", tenantId: string): Promise<Wallet>;
  ensure(chain: ChainKey, kind: "collection" | "relayer"): Promise<Wallet>;
  findTreasury(chain: ChainKey, tenantId: string): Promise<Wallet | undefined>;
  /** The chains of the environment on which the tenant has a treasury. */
  listTreasuryChains(environment: Environment, tenantId: string): Promise<readonly string[]>;
  list(chain: ChainKey): Promise<readonly Wallet[]>;
  /** The wallets of ours among these addresses, by address. */
  findByAddress(chain: ChainKey, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, Wallet>>;
  /** Whose books follow these addresses, and from which block on (exclusive): wallets, and further escrows. */
  findOwners(chain: ChainKey, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, OwnedAddress>>;
  /** Tenants without a treasury on this chain. */
  tenantsWithout(chain: ChainKey, limit: number): Promise<readonly string[]>;
  /** Tenants with a treasury on this chain but without an order there whose idempotency key is this prefix and their id. */
  tenantsWithoutTransaction(chain: ChainKey, keyPrefix: string, limit: number): Promise<readonly string[]>;
}

/** Undefined if the books treat it as a stranger. The relayer holds no tenant's money. */
export function findWalletOwner(wallet: Pick<Wallet, "kind" | "tenantId"> | undefined): WalletOwner | undefined {
  if (wallet?.kind === "collection") return { kind: "collection" };
  return wallet?.kind === "treasury" && wallet.tenantId !== null
    ? { kind: "treasury", tenantId: wallet.tenantId }
    : undefined;
}
