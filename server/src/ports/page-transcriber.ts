/** A model that transcribes pictures of pages. Only an operator can configure one; the pictures then leave the service. */
export interface PageTranscriber {
  /**
   * The lines of each page, from top to bottom, in the order of the pictures, which are JPEGs. Undefined: no usable answer
   * came. A model can be wrong and its text is as untrusted as the document's, so both pass the same checks.
   */
  transcribe(pictures: readonly Uint8Array[], signal: AbortSignal): Promise<readonly (readonly string[])[] | undefined>;
}
