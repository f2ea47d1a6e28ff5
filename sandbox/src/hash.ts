import { hash, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A number in [0, 1) that depends on the parts alone: the only chance that the inventory knows. */
export function chance(...parts: readonly (string | number)[]): number {
  return hash("sha256", parts.join("|"), "buffer").readUInt32BE(0) / 2 ** 32;
}

/** A whole number in [from, to], depending on the parts alone. */
export function pickWhole(from: number, to: number, ...parts: readonly (string | number)[]): number {
  return from + Math.floor(chance(...parts) * (to - from + 1));
}

function toBase62(bytes: Uint8Array, length: number): string {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  let text = "";
  for (let index = 0; index < length; index += 1) {
    text = ALPHABET.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

/** `length` base62 characters that depend on the parts alone. */
export function hashedCode(length: number, ...parts: readonly (string | number)[]): string {
  return toBase62(hash("sha256", parts.join("|"), "buffer"), length);
}

let seeded: { seed: string; drawn: Map<string, number> } | undefined;

/** From now on the same identifiers come in the same order, for a run that repeats. */
export function seedRandomCodes(seed: string): void {
  seeded = { seed, drawn: new Map() };
}

/**
 * `length` random base62 characters, for identifiers of things that happen rather than of inventory. When seeded, each kind
 * has its own row of them: how often somebody asked whether the supplier is healthy does not move the numbers of orders.
 */
export function randomCode(length: number, kind: string): string {
  if (seeded === undefined) return toBase62(randomBytes(24), length);
  const drawn = (seeded.drawn.get(kind) ?? 0) + 1;
  seeded.drawn.set(kind, drawn);
  return hashedCode(length, seeded.seed, kind, drawn);
}

export function base62Digit(value: number): string {
  return ALPHABET.charAt(value);
}

export function base62Value(digits: string): number {
  let value = 0;
  for (const digit of digits) value = value * 62 + ALPHABET.indexOf(digit);
  return value;
}
