import { Failure } from "../../domain/errors.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Chain } from "../../ports/chain/chain.ts";
import { ownMovements } from "../chain/index.ts";
import type { OwnedMovement } from "../ledger/index.ts";
import type { Stores } from "./context.ts";

/**
 * Records, by an operator's decision, money that left tenants' wallets through transactions that are not ours: it is deducted
 * from their available balance, so that ledger and chain agree again. Money may move once the reconciler has seen that
 * (`BoundChains.resume`). Safe to repeat. Throws Failure `not_found` for a transaction in no counted block, `conflict` for one
 * of ours, `insufficient_balance` if a tenant has less available than was taken.
 */
export async function acceptOutgoing(
  {
    chain,
    stores,
  }: { chain: Pick<Chain, "changeWithDust" | "key" | "chainId" | "receipt" | "escrow" | "crossChain">; stores: Stores },
  transactionHash: Hex,
): Promise<OwnedMovement[]> {
  const { key } = chain;
  const receipt = await chain.receipt(transactionHash);
  if (receipt === undefined) {
    throw new Failure("not_found", {
      detail: `The transaction ${transactionHash} is in no confirmed block of ${key.environment}.`,
    });
  }
  if ((await stores.chainTransactions.knownHashes(key, [receipt.hash])).has(receipt.hash)) {
    throw new Failure("conflict", { detail: `The transaction ${transactionHash} is one of the service's own.` });
  }
  const owned = await ownMovements(stores.wallets, chain, receipt.movements);
  const leaving = owned.filter(({ from }) => from !== undefined && from.kind !== "escrow");
  await stores.transaction(async ({ ledger, boundChains }) => {
    for (const one of leaving) {
      const { token, amount, logIndex } = one.movement;
      if (one.from?.kind !== "treasury") {
        throw new Failure("conflict", { detail: "The collection account has no available balance to take it from." });
      }
      await ledger.send({ ...key, token, tenantId: one.from.tenantId }, amount, `accepted:${receipt.hash}:${logIndex}`);
    }
    await ledger.postMovements(key, leaving);
    await boundChains.compareAgain(key);
  });
  return leaving;
}
