export { mint, NOBODY } from "./development/mint-operation.ts";
export { ownMovements } from "./following/wallet-owners.ts";
export type { BoundChains } from "./opening/bound-chains.ts";
export { createBoundChains } from "./opening/store-bound-chains.ts";
export type { ChainTransactions, EnqueuedTransaction, TransactionIntent } from "./sending/chain-transactions.ts";
export { buildConfirmedResult } from "./sending/result-of.ts";
export type { BookedAmount, Custody } from "./store-custody.ts";
export { listChainNames, type UsableChains } from "./usable-chains.ts";
export { findWalletOwner, type Wallets } from "./wallets.ts";
