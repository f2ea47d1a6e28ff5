import type { Hex } from "../../domain/tokens.ts";

/**
 * Decrypts the keys of wallets for the adapter that signs with them, and for nothing else: a key is never logged, stored in the
 * clear, or passed on.
 */
export interface Signer {
  readPrivateKey(walletId: string): Promise<Hex>;
}
