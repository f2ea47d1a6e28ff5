/** Blocks after which nothing is dropped any more, its own included, on chains whose finality is known. */
const confirmationsByChain: ReadonlyMap<number, number> = new Map([
  // Arc and its test network: a block is final as soon as it is there (docs.arc.network/arc/concepts/consensus-layer,
  // docs.arc.io/arc/concepts/deterministic-finality). The ids are those of viem's chain definitions.
  [5_042, 1],
  [5_042_002, 1],
]);

/** More than two epochs of Ethereum, after which its blocks are final. */
const CONFIRMATIONS_ELSEWHERE = 65;

/** How many blocks make a transaction final, where the operator has not said it. */
export function safeConfirmations(chainId: number): number {
  return confirmationsByChain.get(chainId) ?? CONFIRMATIONS_ELSEWHERE;
}
