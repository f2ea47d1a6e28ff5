import type { Hex } from "../../domain/tokens.ts";
import type { Wallet } from "../../ports/chain/wallets.ts";
import type { Environment } from "../../ports/identity.ts";

/**
 * The wallets of this deployment: one treasury per tenant and environment, one of each other kind per environment.
 * Their keys are generated, stored encrypted with the master key, and never leave the adapter that signs with them.
 */
export interface Wallets {
  /** Creates the key the first time. */
  ensure(environment: Environment, kind: "treasury", tenantId: string): Promise<Wallet>;
  ensure(environment: Environment, kind: "collection" | "relayer"): Promise<Wallet>;
  findTreasury(environment: Environment, tenantId: string): Promise<Wallet | undefined>;
  list(environment: Environment): Promise<readonly Wallet[]>;
  /** The wallets of ours among these addresses, by address. */
  findByAddress(environment: Environment, addresses: readonly Hex[]): Promise<ReadonlyMap<Hex, Wallet>>;
  /** Tenants without a treasury in this environment. */
  tenantsWithout(environment: Environment, limit: number): Promise<readonly string[]>;
  /** Tenants with a treasury in this environment but without an order there whose idempotency key is this prefix and their id. */
  tenantsWithoutTransaction(environment: Environment, keyPrefix: string, limit: number): Promise<readonly string[]>;
}
