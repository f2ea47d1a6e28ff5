/** The number of blocks (its own included) after which a block is final, for chains whose finality is known. */
const confirmationsByChain: ReadonlyMap<number, number> = new Map([
  // Arc and its test network: blocks are final immediately (docs.arc.network/arc/concepts/consensus-layer,
  // docs.arc.io/arc/concepts/deterministic-finality). The ids are those of viem's chain definitions.
  [5_042, 1],
  [5_042_002, 1],
]);

/** More than two epochs of Ethereum, after which its blocks are final. */
const CONFIRMATIONS_ELSEWHERE = 65;

/** The number of blocks that make a transaction final, unless configured by the operator. */
export function safeConfirmations(chainId: number): number {
  return confirmationsByChain.get(chainId) ?? CONFIRMATIONS_ELSEWHERE;
}
