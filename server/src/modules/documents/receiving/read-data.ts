import type { Issue } from "../../../domain/errors.ts";

const MEGABYTE = 1024 * 1024;
/** Of a document, by whatever way it comes. */
export const LARGEST_DOCUMENT_BYTES = 10 * MEGABYTE;
/** Of a request that holds one as base64, with its other arguments. */
export const LARGEST_BODY_BYTES = 14 * MEGABYTE;
/** Base64 of the largest document, with line breaks and the beginning of a data URL. */
export const LONGEST_DATA_CHARACTERS = 14_400_000;

/** The beginning of a data URL, which many programs write before base64. */
const DATA_URL = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w-]{1,40}=[\w.+-]{1,60}){0,3};base64,/;
const LONGEST_BEGINNING = 500;

export interface DocumentBytes {
  bytes: Uint8Array;
  /** As whoever gives the document says; undefined: it is not said. */
  mediaType: string | undefined;
}

/** The bytes of base64 as RFC 4648 has it, in one line or several, also as a data URL. */
export function readData(data: string): DocumentBytes | Issue {
  const [beginning = "", mediaType] = DATA_URL.exec(data.slice(0, LONGEST_BEGINNING)) ?? [];
  try {
    // Native: it neither copies the text nor looks at it character by character here.
    const bytes = Uint8Array.fromBase64(data.slice(beginning.length), { lastChunkHandling: "strict" });
    return bytes.length === 0 ? { path: "data", message: "must not be empty" } : { bytes, mediaType };
  } catch {
    return { path: "data", message: "must be the file in base64 with its padding: A to Z, a to z, 0 to 9, + and /" };
  }
}
