import type { Interpreting, Reading } from "../reading/page.ts";
import type { DocumentKind, Scan } from "../scan.ts";

type Interpreter = (reading: Reading, about: Interpreting) => Scan;

/** Stands in until the kind has an interpreter of its own. */
const readNothing: Interpreter = ({ pageCount }) => ({
  fields: {},
  reasons: [{ code: "unreadable", message: "Nothing interprets documents of this kind yet." }],
  references: [],
  pages: pageCount,
});

const INTERPRETERS: Readonly<Record<DocumentKind, Interpreter>> = {
  receipt: readNothing,
  invoice: readNothing,
  boarding_pass: readNothing,
  id_document: readNothing,
};

/** What a reading means, as a document of that kind. */
export function interpret(kind: DocumentKind, reading: Reading, about: Interpreting): Scan {
  return INTERPRETERS[kind](reading, about);
}
