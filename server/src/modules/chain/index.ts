export { resultOf } from "./result-of.ts";
export { createChainNetworks } from "./store-networks.ts";
