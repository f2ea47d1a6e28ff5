import type { Hex } from "../../domain/tokens.ts";

/** Addresses and hashes are compared as text. */
export const lowerHex = (text: string): Hex => `0x${text.slice(2).toLowerCase()}`;
