import type { Hex } from "../../domain/tokens.ts";
import type { ChainKey } from "./chain-key.ts";

/**
 * treasury: a tenant's money · collection: funds the operator's supplier account and receives fees · relayer: pays the gas of
 * every transaction; on the development chain it also owns the contracts.
 */
export type WalletKind = "treasury" | "collection" | "relayer";

export interface Wallet extends ChainKey {
  id: string;
  kind: WalletKind;
  /** Null: the service's own. */
  tenantId: string | null;
  /** In lower case. */
  address: Hex;
}
