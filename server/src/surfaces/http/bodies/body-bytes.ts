import { isUtf8 } from "node:buffer";
import { Failure } from "../../../domain/errors.ts";

/** Each piece costs as much as a small body: no client that means well sends so many that hold so little. */
const MOST_SMALL_PIECES = 2_000;
const LEAST_AVERAGE_BYTES = 16;

/**
 * What has arrived of a body, in one piece. A piece of it is a view of all that was read with it: a body in pieces of one byte each,
 * kept as they came, would take a thousand times its size.
 */
export class BodyBytes {
  #pieces = 0;
  readonly #maximum: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** `maximum`: what is more throws `too_large`, and so does what comes in very many very small pieces. */
  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** What has arrived. */
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
    // Most bodies are one piece.
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.length) this.#grow(Math.min(this.#maximum, Math.max(length, 2 * this.#bytes.length)));
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** JSON is UTF-8: what is not must not be booked, stored and signed with replacement characters in it. */
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
    detail: `The body came in over ${MOST_SMALL_PIECES} pieces of less than ${LEAST_AVERAGE_BYTES} bytes. Send it in larger ones.`,
  });
}

const MEGABYTE = 1_048_576;

export function tooLarge(maximumBytes: number): Failure {
  // Base64 makes four bytes of three.
  const megabytes = Math.floor((maximumBytes * 3) / 4 / MEGABYTE);
  const file = megabytes < 1 ? "" : ` A file sent in base64 may have ${megabytes} MB.`;
  return new Failure("too_large", { detail: `The body is over ${maximumBytes} bytes. Send less.${file}` });
}

export function endedTooEarly(): Failure {
  return new Failure("malformed_json", { detail: "The body ended too early." });
}
