import type { Issue } from "../../../domain/errors.ts";

const MEGABYTE = 1024 * 1024;
/** For a document from any source. */
export const LARGEST_DOCUMENT_BYTES = 10 * MEGABYTE;
/** For a request with a document in base64 and its other arguments. */
export const LARGEST_BODY_BYTES = 14 * MEGABYTE;
/** Base64 of the largest document, with line breaks and a data URL's prefix. */
export const LONGEST_DATA_CHARACTERS = 14_400_000;

/** A data URL's prefix, which many programs put before base64. */
const DATA_URL = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w-]{1,40}=[\w.+-]{1,60}){0,3};base64,/;
const LONGEST_BEGINNING = 500;

export interface DocumentBytes {
  bytes: Uint8Array;
  /** As the sender says, if at all. */
  mediaType: string | undefined;
}

/** Decodes base64 by RFC 4648, in one line or several, also as a data URL. */
export function readData(data: string): DocumentBytes | Issue {
  const [beginning = "", mediaType] = DATA_URL.exec(data.slice(0, LONGEST_BEGINNING)) ?? [];
  try {
    // Native: neither copies the text nor iterates over it here.
    const bytes = Uint8Array.fromBase64(data.slice(beginning.length), { lastChunkHandling: "strict" });
    return bytes.length === 0 ? { path: "data", message: "must not be empty" } : { bytes, mediaType };
  } catch {
    return { path: "data", message: "must be the file in base64 with its padding: A to Z, a to z, 0 to 9, + and /" };
  }
}
