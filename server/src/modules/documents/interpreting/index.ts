import type { DocumentKind } from "../document-kinds.ts";
import type { Interpreting, Reading } from "../reading/page.ts";
import type { Scan } from "../scan.ts";
import { interpretBoardingPass } from "./boarding-passes/boarding-pass.ts";
import { interpretIdDocument } from "./identity/id-document.ts";
import { interpretInvoice, interpretReceipt } from "./receipts/read-receipt.ts";

const INTERPRETERS: Readonly<Record<DocumentKind, (reading: Reading, about: Interpreting) => Scan>> = {
  receipt: interpretReceipt,
  invoice: interpretInvoice,
  boarding_pass: interpretBoardingPass,
  id_document: interpretIdDocument,
};

/** Interprets a reading as a document of that kind. */
export function interpret(kind: DocumentKind, reading: Reading, about: Interpreting): Scan {
  return INTERPRETERS[kind](reading, about);
}
