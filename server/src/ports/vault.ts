/** The existing data was written with another master key. */
export class OtherKeyError extends Error {}

/** Encryption at rest with the master key (AES-256-GCM). */
export interface Vault {
  /** `context` is authenticated but not stored: a value cannot be moved to another row or column. */
  encrypt(plaintext: string, context: string): string;
  /** Throws if the key or the context differs. */
  decrypt(ciphertext: string, context: string): string;
  /** A key for one purpose, derived from the master key; hexadecimal, 32 bytes. */
  deriveKey(purpose: string): string;
}
