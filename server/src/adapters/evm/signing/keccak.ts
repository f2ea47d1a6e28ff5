import { hash } from "node:crypto";

/** OpenSSL's, about eight times as fast as JavaScript. */
export function keccak256(data: Uint8Array): Buffer {
  return hash("keccak-256", data, "buffer");
}
