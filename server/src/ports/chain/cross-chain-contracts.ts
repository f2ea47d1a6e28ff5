import type { ByToken, Hex } from "../../domain/tokens.ts";

/** The contracts for other chains and for exchanges that a chain has, by their addresses. */
export interface CrossChainAddresses {
  /** `signedBurns` burns what a holder signed for; without it, a wallet needs gas of its own to burn. */
  bridge?: { transmitter: Hex; messenger: Hex; signedBurns?: Hex };
  gateway?: { wallet: Hex; minter: Hex };
  swapPool?: Hex;
}

export interface CrossChainOnChain extends CrossChainAddresses {
  /** Its number in the bridge and in the Gateway; undefined: it has none. */
  readonly domain: number | undefined;
}

/** The contracts of a chain that move money to other chains, or exchange it there. */
export interface CrossChainContracts {
  tokens: Required<ByToken<Hex>>;
  transmitter: Hex;
  messenger: Hex;
  tokenMinter: Hex;
  signedBurns: Hex;
  gatewayWallet: Hex;
  gatewayMinter: Hex;
  swapPool: Hex;
}
