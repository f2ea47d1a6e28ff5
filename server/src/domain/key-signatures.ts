import type { Hex } from "./tokens.ts";

/** A private key's signature: 32 bytes r, 32 bytes s and one byte v. Contracts sign in their own forms. */
export const KEY_SIGNATURE_BYTES = 65;

export const countBytes = (hex: Hex): number => (hex.length - 2) / 2;

/** Whether it has the form of a key's signature; a contract can use the same form. */
export const hasKeyForm = (signature: Hex): boolean => countBytes(signature) === KEY_SIGNATURE_BYTES;

/** v, r and s of a key's signature: the form that every version of the tokens accepts. */
export function splitSignature(signature: Hex): [number, Hex, Hex] {
  return [
    Number.parseInt(signature.slice(130, 132), 16),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ];
}
