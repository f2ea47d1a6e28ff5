import type { Hex } from "../../../domain/tokens.ts";
import type { Chain, TokenMovement } from "../../../ports/chain/chain.ts";
import type { OwnedMovement, WalletOwner } from "../../ledger/index.ts";
import type { Wallets } from "../wallets.ts";

/**
 * The movements that touch a wallet of ours or an escrow, in order. Zero amounts are ignored, as anybody can emit them
 * for any wallet (`transferFrom` needs no allowance for zero).
 */
export async function ownMovements(
  wallets: Pick<Wallets, "findOwners">,
  chain: Pick<Chain, "key" | "escrow" | "crossChain" | "changeWithDust">,
  movements: readonly TokenMovement[],
): Promise<OwnedMovement[]> {
  const { key, escrow, crossChain } = chain;
  const real = movements.filter(({ amount, dust = 0n }) => amount > 0n || dust > 0n);
  const addresses = real.flatMap(({ from, to }): Hex[] => [from, to]);
  const byAddress = await wallets.findOwners(key, addresses);
  function ownerAt(address: Hex, block: bigint): WalletOwner | undefined {
    if (escrow?.address === address && block > escrow.sinceBlock) return { kind: "escrow" };
    const found = byAddress.get(address);
    return found === undefined || block <= found.sinceBlock ? undefined : found.owner;
  }
  const owned = real
    .map((movement): OwnedMovement => {
      const from = ownerAt(movement.from, movement.blockNumber);
      // The contract keeps nothing: it burns the money in the same transaction.
      const isBurned = from?.kind === "treasury" && movement.to === crossChain.bridge?.signedBurns;
      const to = isBurned ? { ...from, kind: "in_flight" as const } : ownerAt(movement.to, movement.blockNumber);
      return { movement, from, to };
    })
    .filter(({ from, to }) => from !== undefined || to !== undefined);
  return (await Promise.all(owned.map((one) => carryDust(chain, one)))).filter(({ movement }) => movement.amount > 0n);
}

/** The books count whole units of the token: smaller amounts appear once they add up to one. */
async function carryDust(chain: Pick<Chain, "changeWithDust">, owned: OwnedMovement): Promise<OwnedMovement> {
  const { movement, to } = owned;
  if (movement.dust === undefined) return owned;
  const amount = await chain.changeWithDust(movement, to === undefined ? movement.from : movement.to);
  return { ...owned, movement: { ...movement, amount } };
}
