import { expect, it } from "vitest";
import { drawText } from "../../../../test/support/small-documents.ts";
import type { PageTranscriber } from "../../../ports/page-transcriber.ts";
import { EXAMPLE_RECEIPT } from "../example-document.ts";
import { interpret } from "../interpreting/index.ts";
import { drawDocument, readDocument } from "../reading/read-document.ts";
import { createDocumentScanner } from "./scan-with-model.ts";
import type { Scanner } from "./scanner.ts";

/** Has neither a date nor a currency. */
const DOUBTFUL = drawText(["Cafe Aurora", "Total 11.00"]);
const CERTAIN = Buffer.from(EXAMPLE_RECEIPT, "base64");
const WHOLE = ["Cafe Aurora", "2026-11-20", "Breakfast   EUR 10.00", "VAT 10%   EUR 1.00", "Total   EUR 11.00"];
const WRONG = ["Cafe Aurora", "2026-11-20", "Breakfast   EUR 10.00", "VAT 10%   EUR 1.00", "Total   EUR 17.00"];

/** The work of the scanner's processes, without the processes. */
const scanner: Pick<Scanner, "scan"> = {
  async scan({ bytes, type, kind, today, transcripts, wantsImages = false }) {
    const reading = await readDocument(bytes, type, kind, { transcripts });
    const scan = interpret(kind, reading, { today, companyName: undefined });
    return { scan, images: wantsImages ? await drawDocument(bytes, type) : [] };
  },
};

async function scanWith(lines: readonly string[] | undefined, bytes: Uint8Array) {
  const asked: Uint8Array[] = [];
  const transcriber: PageTranscriber = {
    async transcribe(pictures) {
      asked.push(...pictures);
      return lines === undefined ? undefined : pictures.map(() => lines);
    },
  };
  const scan = await createDocumentScanner(scanner, transcriber).scan({
    bytes,
    kind: "receipt",
    mediaType: undefined,
    companyName: undefined,
    owner: "tenant",
    arrivedAt: performance.now(),
    today: Temporal.PlainDate.from("2026-11-26"),
    signal: new AbortController().signal,
    progress: () => {},
  });
  return { scan, asked };
}

it("the model's reading of a doubtful document counts if it passes the same checks", async () => {
  const { scan, asked } = await scanWith(WHOLE, DOUBTFUL);
  expect(scan.reasons).toEqual([]);
  expect(scan.fields.totalAmount).toMatchObject({ value: "11.00", from: { source: "model", page: 1 } });
  expect(scan.fields.issuedOn).toMatchObject({ value: "2026-11-20", from: { source: "model" } });
  // Only a JPEG of the page, nothing else of the document.
  expect(asked.map((picture) => Buffer.from(picture.subarray(0, 3)).toString("hex"))).toEqual(["ffd8ff"]);
});

it("an inconsistent or missing reading of the model leaves the service's own", async () => {
  for (const lines of [WRONG, undefined]) {
    const { scan, asked } = await scanWith(lines, DOUBTFUL);
    expect(asked).toHaveLength(1);
    expect(scan.reasons).not.toEqual([]);
    expect(scan.fields.totalAmount?.from.source ?? "ocr").toBe("ocr");
  }
});

it("a document without a doubt is not shown to the model", async () => {
  const { scan, asked } = await scanWith(WHOLE, CERTAIN);
  expect(asked).toEqual([]);
  expect(scan.fields.totalAmount).toMatchObject({ value: "212.00", from: { source: "text" } });
});
