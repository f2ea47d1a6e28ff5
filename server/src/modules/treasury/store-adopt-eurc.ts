import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { ChainContracts } from "../../ports/chain/bound-chains.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
import type { Clock } from "../../ports/clock.ts";
import { createBoundChains } from "../chain/index.ts";
import { postAll } from "../ledger/index.ts";

export interface EurcAdoption {
  chain: ChainKey;
  before: ChainContracts;
  /** With EURC and the block from which the ledger tracks it. */
  contracts: ChainContracts;
  /** The balances of each wallet and of the escrows at that block. */
  balances: ReadonlyMap<Hex, Micro>;
}

/**
 * Records that the chain now has EURC, with earlier deposits: otherwise the chain would hold more than the ledger, which stops
 * all money. Call it while nothing else posts.
 */
export async function adoptEurc(
  db: Queryable,
  clock: Clock,
  { chain, before, contracts: { tokens, eurcSince }, balances }: EurcAdoption,
): Promise<void> {
  if (eurcSince === undefined) throw new Error("the books have EURC from no block on");
  await db.transaction().execute(async (transaction) => {
    const wallets = await transaction
      .selectFrom("wallet")
      .select(["address", "tenantId"])
      .where("environment", "=", chain.environment)
      .where("chain", "=", chain.chain)
      .where("kind", "in", ["treasury", "collection"])
      .execute();
    const further = await transaction
      .selectFrom("furtherEscrow")
      .select(["address", "tenantId"])
      .where("environment", "=", chain.environment)
      .where("chain", "=", chain.chain)
      .execute();
    const accounts = [
      ...further.map((escrow) => ({ ...escrow, kind: "escrow" as const })),
      ...wallets.map(({ address, tenantId }) => ({
        address,
        tenantId,
        kind: tenantId === null ? ("collection" as const) : ("prefunded" as const),
      })),
      ...(before.escrow === undefined ? [] : [{ address: before.escrow, tenantId: null, kind: "escrow" as const }]),
    ];
    const postings = accounts.flatMap(({ address, tenantId, kind }) => {
      const amount = balances.get(address) ?? 0n;
      if (amount === 0n) return [];
      const moves = [
        { kind: "external" as const, tenantId: null, amount: -amount },
        { kind, tenantId, amount },
      ];
      const reference = `adopt:${chain.environment}:${chain.chain}:EURC:${address}:${eurcSince}`;
      return [{ ...chain, token: "EURC" as const, reference, kind: "adopt" as const, moves }];
    });
    await postAll(transaction, postings, clock);
    await createBoundChains(transaction, clock).setContracts(chain, { ...before, tokens, eurcSince });
  });
}
