/** What is there was written with another master key. */
export class OtherKeyError extends Error {}

/** Encryption at rest with the master key (AES-256-GCM). */
export interface Vault {
  /** `context` is authenticated but not stored: a value cannot be moved to another row or column. */
  encrypt(plaintext: string, context: string): string;
  /** Throws when the key or the context is another one. */
  decrypt(ciphertext: string, context: string): string;
  /** A key for one purpose, derived from the master key; hexadecimal, 32 bytes. */
  deriveKey(purpose: string): string;
}
