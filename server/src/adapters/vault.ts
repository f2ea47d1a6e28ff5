import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Vault } from "../ports/vault.ts";

const FORMAT = "v1";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Ciphertexts read `v1.<key id>.<base64url of nonce, text, tag>`. The key id distinguishes another master key from a changed
 * text, and will distinguish an old key from a new one when keys are rotated.
 */
export function createVault(masterKey: Uint8Array): Vault {
  if (masterKey.byteLength !== KEY_BYTES) throw new Error(`The master key must have ${KEY_BYTES} bytes.`);
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", masterKey, "", `wayfare ${purpose}`, KEY_BYTES));
  const key = derive("vault");
  const keyId = derive("vault key id").toString("hex").slice(0, 8);
  const prefix = `${FORMAT}.${keyId}.`;
  const authenticated = (context: string) => Buffer.from(`${prefix}${context}`);

  return {
    encrypt(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(authenticated(context));
      const body = Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${prefix}${body.toString("base64url")}`;
    },

    decrypt(ciphertext, context) {
      if (!ciphertext.startsWith(prefix)) {
        throw new Error("An encrypted value was written with another master key, or is not an encrypted value.");
      }
      const body = Buffer.from(ciphertext.slice(prefix.length), "base64url");
      if (body.length < NONCE_BYTES + TAG_BYTES) throw new Error("An encrypted value is cut short.");
      const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(authenticated(context))
        .setAuthTag(body.subarray(body.length - TAG_BYTES));
      const text = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },

    deriveKey: (purpose) => derive(`key for ${purpose}`).toString("hex"),
  };
}
