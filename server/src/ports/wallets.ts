import type { Hex } from "../domain/tokens.ts";
import type { Environment } from "./identity.ts";

/**
 * treasury: a tenant's money · collection: what covers the operator's supplier account and takes in fees · relayer: pays the gas
 * of every transaction; on the development chain also the owner of the contracts.
 */
export type WalletKind = "treasury" | "collection" | "relayer";

export interface Wallet {
  id: string;
  network: Environment;
  kind: WalletKind;
  /** Null: the service's own. */
  tenantId: string | null;
  /** In lower case. */
  address: Hex;
}

/**
 * The wallets of this deployment; one treasury per tenant and network, one of each other kind per network. Their keys are
 * generated, stored encrypted with the master key, and never leave the adapter that signs with them.
 */
export interface Wallets {
  /** Makes the key when it is the first time. */
  ensure(network: Environment, kind: "treasury", tenantId: string): Promise<Wallet>;
  ensure(network: Environment, kind: "collection" | "relayer"): Promise<Wallet>;
  findTreasury(network: Environment, tenantId: string): Promise<Wallet | undefined>;
  list(network: Environment): Promise<readonly Wallet[]>;
  /** Which of these addresses are ours, by address. */
  findByAddress(network: Environment, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, Wallet>>;
  /** Tenants that have no treasury on this network yet. */
  tenantsWithout(network: Environment, limit: number): Promise<readonly string[]>;
  /** Tenants with a treasury on this network and no order there whose idempotency key is this prefix and their id. */
  tenantsWithoutTransaction(network: Environment, keyPrefix: string, limit: number): Promise<readonly string[]>;
}
