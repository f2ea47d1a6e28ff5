import { isUtf8 } from "node:buffer";
import { Failure } from "../../domain/errors.ts";

/** JSON is UTF-8: what is not must not be booked, stored and signed with replacement characters in it. */
export function bodyText(chunks: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new Failure("malformed_json", { detail: "The body is not UTF-8." });
  return bytes.toString("utf8");
}

export function tooLarge(maximumBytes: number): Failure {
  return new Failure("too_large", { detail: `The body is over ${maximumBytes} bytes. Send less.` });
}

export function endedTooEarly(): Failure {
  return new Failure("malformed_json", { detail: "The body ended too early." });
}
