import { randomFillSync } from "node:crypto";

/** Returns `length` random bytes. Replaced where a test must be repeatable. */
export type RandomBytes = (length: number) => Uint8Array;

const POOL_BYTES = 8_192;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

/** Reads the system's generator in larger blocks: a call to it costs more than everything else in making an id. */
export const systemRandom: RandomBytes = (length) => {
  if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
  if (used + length > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.slice(used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
};

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LETTER_CODES = Buffer.from(ALPHABET, "latin1");
const RANDOM_LETTERS = 16;
const TIME_LETTERS = 10;
/** Reused for each id: every call makes several. */
const letters = Buffer.alloc(RANDOM_LETTERS);
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A sortable id: prefix, 48 bits of milliseconds, 80 random bits, in Crockford's base 32 (26 characters). Later ids sort after
 * earlier ones, so that index inserts stay local and cursors are stable.
 */
export function newId(prefix: string, epochMilliseconds: number, random: RandomBytes = systemRandom): string {
  const bytes = random(RANDOM_LETTERS);
  for (let at = 0; at < RANDOM_LETTERS; at += 1) letters[at] = LETTER_CODES[(bytes[at] ?? 0) & 31] ?? 0;
  return prefix + timeText(epochMilliseconds) + letters.toString("latin1");
}

/** The id of a chain transaction. */
export function newTransferId({ epochMilliseconds }: Temporal.Instant): string {
  return newId("ctx_", epochMilliseconds);
}

/** Ids made at this time or later sort after it. */
export function earliestId(prefix: string, epochMilliseconds: number): string {
  return prefix + timeText(epochMilliseconds) + "0".repeat(RANDOM_LETTERS);
}

/** The time at which an id was made. */
export function readEpochMilliseconds(id: string): number {
  const text = id.slice(-RANDOM_LETTERS - TIME_LETTERS, -RANDOM_LETTERS);
  return Array.from(text).reduce((time, letter) => time * 32 + ALPHABET.indexOf(letter), 0);
}

let lastTime = { epochMilliseconds: 0, text: "0000000000" };

/** Many ids are made within a millisecond. */
function timeText(epochMilliseconds: number): string {
  if (lastTime.epochMilliseconds !== epochMilliseconds) {
    let text = "";
    let rest = epochMilliseconds;
    for (let place = 0; place < TIME_LETTERS; place += 1) {
      text = ALPHABET.charAt(rest % 32) + text;
      rest = Math.floor(rest / 32);
    }
    lastTime = { epochMilliseconds, text };
  }
  return lastTime.text;
}

/** Random base-62 text. Bytes over 247 are discarded, so that every character is equally likely. */
export function randomBase62(length: number, random: RandomBytes = systemRandom): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}
