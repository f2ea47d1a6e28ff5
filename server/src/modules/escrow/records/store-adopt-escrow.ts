import type { Micro } from "../../../domain/money.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../domain/tokens.ts";
import type { Queryable } from "../../../platform/database/database.ts";
import type { ChainContracts } from "../../../ports/chain/bound-chains.ts";
import type { ChainKey } from "../../../ports/chain/chain-key.ts";
import type { Clock } from "../../../ports/clock.ts";
import { createBoundChains } from "../../chain/index.ts";
import { postAll } from "../../ledger/index.ts";

export interface EscrowAdoption {
  chain: ChainKey;
  /** With the escrow, and the block from which the books include it; without both if it has none any more. */
  contracts: ChainContracts;
  /** The escrow's balances at that block. */
  balances: Readonly<Record<TokenSymbol, Micro>>;
}

/**
 * Stores the chain's contracts with a different escrow, and sets the escrow's account to that one's balances: anybody
 * can have paid into it before, and strangers' payments to the previous one stay there. Call it while nothing else
 * posts.
 */
export async function adoptEscrow(
  db: Queryable,
  clock: Clock,
  { chain, contracts, balances }: EscrowAdoption,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const token of tokenSymbols) {
      const row = await transaction
        .selectFrom("ledgerAccount")
        .select("balanceMicro")
        .where("environment", "=", chain.environment)
        .where("chain", "=", chain.chain)
        .where("token", "=", token)
        .where("kind", "=", "escrow")
        .forUpdate()
        .executeTakeFirst();
      const amount = balances[token] - (row?.balanceMicro ?? 0n);
      const moves = [
        { kind: "external", tenantId: null, amount: -amount },
        { kind: "escrow", tenantId: null, amount },
      ] as const;
      const at = `${contracts.escrow ?? "none"}:${contracts.escrowSince ?? clock.now().epochMilliseconds}`;
      const reference = `adopt:${chain.environment}:${chain.chain}:${token}:${at}`;
      await postAll(transaction, [{ ...chain, token, reference, kind: "adopt", moves }], clock);
    }
    await createBoundChains(transaction, clock).setContracts(chain, contracts);
  });
}

/** Whether trips have money in the chain's escrow, or on its way there. */
export async function hasTripsInEscrow(db: Queryable, { environment, chain }: ChainKey, escrow: Hex): Promise<boolean> {
  const row = await db
    .selectFrom("trip")
    .select("tripId")
    .where("environment", "=", environment)
    .where("chain", "=", chain)
    .where("escrow", "=", escrow)
    .where(({ or, and, eb }) =>
      or([
        eb("state", "=", "funding"),
        and([eb("state", "<>", "failed"), or([eb("freeMicro", ">", 0n), eb("heldMicro", ">", 0n)])]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
