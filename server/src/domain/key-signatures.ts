import type { Hex } from "./tokens.ts";

/** What a private key signs: 32 bytes r, 32 bytes s and one byte v. Contracts sign in forms of their own. */
export const KEY_SIGNATURE_BYTES = 65;

export const bytesOf = (hex: Hex): number => (hex.length - 2) / 2;

/** Whether it has the form of a key's signature; a contract can choose the same form. */
export const hasKeyForm = (signature: Hex): boolean => bytesOf(signature) === KEY_SIGNATURE_BYTES;

/** v, r and s of a key's signature: the form that every version of the tokens takes. */
export function vrsOf(signature: Hex): [number, Hex, Hex] {
  return [
    Number.parseInt(signature.slice(130, 132), 16),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ];
}
