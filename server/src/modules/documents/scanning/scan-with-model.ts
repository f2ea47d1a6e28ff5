import type { PageTranscriber } from "../../../ports/page-transcriber.ts";
import { DocumentRefused, type DocumentScanner } from "../document-scanner.ts";
import { detectDocumentType } from "../receiving/document-type.ts";
import type { Scanner } from "./scanner.ts";

/**
 * Reads documents with the service's own scanner. If the operator has a vision model and a document would need review,
 * the model reads its pages: its result passes the same checks, and counts only if no doubt is left.
 */
export function createDocumentScanner(
  scanner: Pick<Scanner, "scan">,
  transcriber: PageTranscriber | undefined,
): DocumentScanner {
  return {
    async scan({ mediaType, ...request }) {
      const document = { ...request, type: detectDocumentType(request.bytes, mediaType) };
      const { scan, images } = await scanner.scan({ ...document, wantsImages: transcriber !== undefined });
      if (transcriber === undefined || scan.reasons.length === 0 || images.length < scan.pages) return scan;
      request.progress("asking the vision model");
      const transcripts = await transcriber.transcribe(images, request.signal);
      if (transcripts === undefined) return scan;
      const modelled = await scanner.scan({ ...document, transcripts }).catch((error: unknown) => {
        // There is an answer already: the model's comes too late.
        if (error instanceof DocumentRefused && error.code === "scan_timeout") return undefined;
        throw error;
      });
      return modelled?.scan.reasons.length === 0 ? modelled.scan : scan;
    },
  };
}
