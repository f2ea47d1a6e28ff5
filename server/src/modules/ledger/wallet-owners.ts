import type { Hex } from "../../domain/tokens.ts";
import type { Chain, TokenMovement } from "../../ports/chain.ts";
import type { Wallet, Wallets } from "../../ports/wallets.ts";
import type { OwnedMovement, WalletOwner } from "./ledger.ts";

/** Undefined: for the books this is somebody else. The relayer holds no tenant's money. */
export function ownerOf(wallet: Wallet | undefined): WalletOwner | undefined {
  if (wallet?.kind === "collection") return { kind: "collection" };
  return wallet?.kind === "treasury" && wallet.tenantId !== null
    ? { kind: "treasury", tenantId: wallet.tenantId }
    : undefined;
}

/**
 * Those of the movements that touch a wallet of ours or the escrow, in their order. Anybody can make an event of nothing out of anybody's
 * wallet (`transferFrom` needs no allowance for it): those say nothing.
 */
export async function ownMovements(
  wallets: Pick<Wallets, "findByAddress">,
  { network, escrow }: Pick<Chain, "network" | "escrow">,
  movements: readonly TokenMovement[],
): Promise<OwnedMovement[]> {
  const real = movements.filter(({ amount }) => amount > 0n);
  const addresses = real.flatMap(({ from, to }): Hex[] => [from, to]);
  const byAddress = await wallets.findByAddress(network, addresses);
  const ownerAt = (address: Hex, block: bigint): WalletOwner | undefined =>
    escrow?.address === address && block > escrow.sinceBlock ? { kind: "escrow" } : ownerOf(byAddress.get(address));
  return real
    .map((movement) => ({
      movement,
      from: ownerAt(movement.from, movement.blockNumber),
      to: ownerAt(movement.to, movement.blockNumber),
    }))
    .filter(({ from, to }) => from !== undefined || to !== undefined);
}
