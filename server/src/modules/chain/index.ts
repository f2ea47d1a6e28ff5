export { resultOf } from "./result-of.ts";
export type { Custody } from "./store-custody.ts";
export { createChainNetworks } from "./store-networks.ts";
export { ownerOf, ownMovements } from "./wallet-owners.ts";
