// Checksums of addresses (EIP-55) for the claim page, with the Keccak-256 that they need.

/** An address in one case has no checksum. */
export function isChecksumRight(address) {
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = keccak256(digits.toLowerCase());
  return [...digits].every((digit, at) => {
    const isUpper = Number.parseInt(hash[at], 16) >= 8;
    return digit === (isUpper ? digit.toUpperCase() : digit.toLowerCase());
  });
}

/** Hashes an ASCII text shorter than a block; returns hexadecimal digits. */
function keccak256(text) {
  const BLOCK_BYTES = 136;
  const WORD = (1n << 64n) - 1n;
  const bytes = new Uint8Array(BLOCK_BYTES);
  bytes.set(new TextEncoder().encode(text));
  bytes[text.length] ^= 1;
  bytes[BLOCK_BYTES - 1] ^= 0x80;
  const state = new Array(25).fill(0n);
  const view = new DataView(bytes.buffer);
  for (let lane = 0; lane < BLOCK_BYTES / 8; lane += 1) state[lane] = view.getBigUint64(lane * 8, true);
  const rotate = (word, by) => (by === 0n ? word : ((word << by) | (word >> (64n - by))) & WORD);
  let lfsr = 1;
  for (let round = 0; round < 24; round += 1) {
    const columns = [0, 1, 2, 3, 4].map((x) => state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    for (let at = 0; at < 25; at += 1) state[at] ^= columns[(at + 4) % 5] ^ rotate(columns[(at + 1) % 5], 1n);
    let [x, y, word] = [1, 0, state[1]];
    for (let step = 0; step < 24; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = state[x + 5 * y];
      state[x + 5 * y] = rotate(word, BigInt((((step + 1) * (step + 2)) / 2) % 64));
      word = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const old = state.slice(row, row + 5);
      for (let at = 0; at < 5; at += 1) state[row + at] = old[at] ^ (~old[(at + 1) % 5] & WORD & old[(at + 2) % 5]);
    }
    for (let bit = 0; bit < 7; bit += 1) {
      if (lfsr & 1) state[0] ^= 1n << ((1n << BigInt(bit)) - 1n);
      lfsr = (lfsr << 1) ^ (lfsr & 0x80 ? 0x171 : 0);
    }
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) digest.setBigUint64(lane * 8, state[lane], true);
  return Array.from(new Uint8Array(digest.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
