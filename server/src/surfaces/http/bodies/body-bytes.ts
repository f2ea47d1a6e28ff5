import { isUtf8 } from "node:buffer";
import { Failure } from "../../../domain/errors.ts";

/** Each chunk costs as much as a small body: no well-meaning client sends so many tiny ones. */
const MOST_SMALL_PIECES = 2_000;
const LEAST_AVERAGE_BYTES = 16;

/**
 * The received part of a body, in one buffer. A chunk is a view of everything that was read with it: a body in one-byte chunks,
 * kept as they came, would take a thousand times its size.
 */
export class BodyBytes {
  #pieces = 0;
  readonly #maximum: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** `maximum`: a larger body throws `too_large`, and so does one in too many tiny chunks. */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** The number of bytes received. */
  get length(): number {
    return this.#length;
  }

  /** The memory that it takes. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#maximum) throw tooLarge(this.#maximum);
    this.#pieces += 1;
    if (this.#pieces > MOST_SMALL_PIECES && length < LEAST_AVERAGE_BYTES * this.#pieces) throw tooManyPieces();
    // Most bodies are a single chunk.
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.length) this.#grow(Math.min(this.#maximum, Math.max(length, 2 * this.#bytes.length)));
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** JSON is UTF-8: other bytes must not be booked, stored and signed as replacement characters. */
  text(): string {
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
    if (!isUtf8(bytes)) throw new Failure("malformed_json", { detail: "The body is not UTF-8." });
    return bytes.toString("utf8");
  }

  #grow(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

function tooManyPieces(): Failure {
  return new Failure("too_large", {
    detail: `The body arrived in more than ${MOST_SMALL_PIECES} pieces of less than ${LEAST_AVERAGE_BYTES} bytes. Send it in larger pieces.`,
  });
}

const MEGABYTE = 1_048_576;

export function tooLarge(maximumBytes: number): Failure {
  // Base64 turns three bytes into four.
  const megabytes = Math.floor((maximumBytes * 3) / 4 / MEGABYTE);
  const file = megabytes < 1 ? "" : ` A file sent as base64 may have up to ${megabytes} MB.`;
  return new Failure("too_large", { detail: `The body is over ${maximumBytes} bytes. Send less.${file}` });
}

export function endedTooEarly(): Failure {
  return new Failure("malformed_json", { detail: "The body ended too early." });
}
