import type { ByToken, Hex } from "../../domain/tokens.ts";

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
