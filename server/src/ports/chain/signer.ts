import type { Hex } from "../../domain/tokens.ts";

/**
 * Opens the keys of wallets for the adapter that signs with them, and for nobody else: a key is never logged, stored in the
 * clear, or handed on.
 */
export interface Signer {
  privateKeyOf(walletId: string): Promise<Hex>;
}
