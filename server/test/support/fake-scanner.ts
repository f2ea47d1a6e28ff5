import type { DocumentScanner, ScanRequest } from "../../src/modules/documents/document-scanner.ts";
import type { FieldSource, Fields, Scan } from "../../src/modules/documents/scan.ts";

/** A scanner that answers what a test has told it to, and remembers what it was asked. */
export function createFakeScanner() {
  const requests: ScanRequest[] = [];
  let answer: (request: ScanRequest) => Promise<Scan> = async () => buildScan({});
  const scanner: DocumentScanner = {
    async scan(request) {
      requests.push(request);
      return await answer(request);
    },
  };
  return {
    scanner,
    requests,
    /** From now on, for every document. */
    answers(how: (request: ScanRequest) => Promise<Scan>): void {
      answer = how;
    },
    says(scan: Scan): void {
      answer = async () => scan;
    },
  };
}

/** Fields as they would stand on a first page. */
export function buildFields(values: Readonly<Record<string, string>>, source: FieldSource = "ocr"): Fields {
  const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.04 };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, confidence: 0.98, from: { source, page: 1, box } }]),
  );
}

/** A scan without doubts. */
export function buildScan(values: Readonly<Record<string, string>>, more: Partial<Scan> = {}): Scan {
  return { fields: buildFields(values), reasons: [], references: [], pages: 1, ...more };
}

export const passportFields = (number: string) => ({
  documentType: "passport",
  issuingCountry: "GBR",
  nationality: "GBR",
  documentNumber: number,
  familyName: "SPECIMEN",
  givenName: "ANGELA ZOE",
  bornOn: "1988-12-04",
  sex: "f",
  expiresOn: "2033-09-15",
});
