import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { BoundChain } from "../../ports/chain/bound-chains.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { EscrowFacts } from "../../ports/chain/escrow-contract.ts";

/** An escrow besides the chain's own, for the trips of one tenant. */
export interface FurtherEscrow extends EscrowFacts {
  readonly tenantId: string;
  readonly allowedAt: Temporal.Instant;
  /** From then on, no new trip is prefunded in it. Its trips go on. */
  readonly revokedAt: Temporal.Instant | undefined;
}

/** A tenant's further escrow, and what was in it at the last block that the ledger has read. */
export interface NewEscrow extends Omit<EscrowFacts, "sinceBlock"> {
  tenantId: string;
  balances: Readonly<Record<TokenSymbol, Micro>>;
}

export interface FurtherEscrows {
  find(chain: ChainKey, address: Hex): Promise<FurtherEscrow | undefined>;
  /** Revoked ones too, oldest first. */
  list(chain: ChainKey): Promise<readonly FurtherEscrow[]>;
  /** As `find`, but by a list that can be some seconds old. */
  isKnown(chain: ChainKey, address: Hex): Promise<boolean>;
  /**
   * Books the contract's money as the tenant's in escrow, and from then on whatever moves into or out of it. False: the ledger has read
   * further blocks meanwhile, or the contract is in the list already.
   */
  add(bound: BoundChain, escrow: NewEscrow): Promise<boolean>;
  /** Allows new trips in a listed escrow, or no longer. False: the tenant has no such escrow, or nothing changed. */
  setRevoked(
    chain: ChainKey,
    escrow: Pick<FurtherEscrow, "tenantId" | "address">,
    isRevoked: boolean,
  ): Promise<boolean>;
}
