import { DOCUMENT_KINDS, type DocumentKind, KIND_TRAITS } from "../document-kinds.ts";
import { listAtoms, type PrintedLine } from "./printed-text.ts";

const vocabularies: ReadonlyMap<DocumentKind, ReadonlySet<string>> = new Map(
  DOCUMENT_KINDS.map((kind) => [kind, new Set(KIND_TRAITS[kind].words.split(" "))] as const),
);
/** This many different words tell a kind, if the requested kind has fewer. */
const TELLING = 2;

/** Whether the words of a document indicate another kind than the requested one. */
export function looksLikeOther(lines: readonly PrintedLine[], asked: DocumentKind): boolean {
  const said = new Set(lines.flatMap(({ words }) => listAtoms(words).map(({ text }) => text)));
  const count = (kind: DocumentKind) => [...(vocabularies.get(kind) ?? [])].filter((word) => said.has(word)).length;
  const own = count(asked);
  return DOCUMENT_KINDS.some((kind) => kind !== asked && count(kind) >= TELLING && count(kind) > own);
}

/** Whether a document has any word typical of this kind. */
export function hasKindWord(lines: readonly PrintedLine[], kind: DocumentKind): boolean {
  const vocabulary = vocabularies.get(kind);
  return lines.some(({ words }) => listAtoms(words).some(({ text }) => vocabulary?.has(text)));
}
