export type { BoundChains } from "./bound-chains.ts";
export type { ChainTransactions, TransactionIntent } from "./chain-transactions.ts";
export { resultOf } from "./result-of.ts";
export { createBoundChains } from "./store-bound-chains.ts";
export type { Custody } from "./store-custody.ts";
export { ownerOf, ownMovements } from "./wallet-owners.ts";
export type { Wallets } from "./wallets.ts";
