import { type LanguageCode, labelWords, type Mark } from "./label-words.ts";
import { moreLabelWords } from "./more-label-words.ts";
import type { Row } from "./rows.ts";

/** An amount's role in the sum of a receipt. */
export type Role =
  | "item"
  | "net"
  | "base"
  | "tax"
  | "tip"
  | "service"
  | "discount"
  | "rounding"
  | "total"
  | "vague_total"
  | "due"
  | "deposit"
  | "cash"
  | "card"
  | "change"
  | "ignored"
  /** No text beside it. */
  | "bare";

export interface Label {
  role: Role;
  /** The label says that the tax is included in the amount above. */
  isIncluded: boolean;
}

interface Phrase {
  words: string;
  first: string;
  /** Languages share words: "total" is one in five of them. */
  marks: readonly Mark[];
  isEastAsian: boolean;
}

const EAST_ASIAN = /[\u3000-\u9fff\uf900-\uffef]/u;

const splitPhrases = (text: string): string[] => text.split(", ");

const marksByWords = Map.groupBy(
  [...Object.values(labelWords), ...Object.values(moreLabelWords)].flatMap((words) =>
    Object.entries(words).flatMap(([mark, text]) =>
      splitPhrases(text).map((one) => ({ mark: toMark(mark), words: withoutAccents(one) })),
    ),
  ),
  ({ words }) => words,
);

/** Longest first, so that "sub total" is no "total". */
const phrases: readonly Phrase[] = [...marksByWords]
  .map(([words, marked]) => ({
    words,
    first: words.split(" ")[0] ?? words,
    marks: marked.map(({ mark }) => mark),
    isEastAsian: EAST_ASIAN.test(words),
  }))
  .toSorted((one, other) => other.words.length - one.words.length);

const vocabulary: ReadonlySet<string> = new Set(
  phrases.flatMap(({ words }) => words.split(" ")).filter((word) => word.length > 2),
);
const byLength = Map.groupBy(vocabulary, (word) => word.length);

function toMark(text: string): Mark {
  const marks = [
    ...([
      "total",
      "vague_total",
      "due",
      "net",
      "base",
      "tax",
      "levy",
      "included",
      "excluded",
      "tip",
      "service",
    ] as const),
    ...(["discount", "rounding", "deposit", "cash", "card", "change", "ignored"] as const),
  ];
  return marks.find((mark) => mark === text) ?? "ignored";
}

/** Lower case without accents and signs, with recognition errors corrected in known words. */
export function normalizeLabel(text: string, isRecognized: boolean): string {
  const plain = withoutAccents(text.toLowerCase().replaceAll(/[x*#•]{2,}[ -]?\d{0,4}/gu, " "))
    .replaceAll("ß", "ss")
    .replaceAll("œ", "oe")
    .replaceAll(/\b([a-z])\.(?=[a-z]\.)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}%]+/gu, " ")
    .trim();
  return isRecognized ? plain.split(" ").map(mendWord).join(" ") : plain;
}

/** Other scripts keep their marks, such as the breve of the Russian й. */
function withoutAccents(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/(?<=\p{Script=Latin}|\p{Script=Greek})\p{M}+/gu, "")
    .normalize("NFC");
}

const confusions: Readonly<Record<string, string>> = { "0": "o", "1": "l", "5": "s", "8": "b", "4": "a", "6": "b" };

function mendWord(word: string): string {
  if (word.length < 3 || vocabulary.has(word) || !/[a-z]/.test(word)) return word;
  const letters = word.replaceAll(/[014568]/g, (digit) => confusions[digit] ?? digit);
  if (vocabulary.has(letters)) return letters;
  const withI = letters.replaceAll("l", "i");
  if (vocabulary.has(withI)) return withI;
  if (letters.length === 5)
    return (
      byLength
        .get(5)
        ?.values()
        .find((known) => looksAlike(known, letters)) ?? word
    );
  if (letters.length < 5) return word;
  const near = [letters.length - 1, letters.length, letters.length + 1]
    .flatMap((length) => byLength.get(length) ?? [])
    .filter((known) => known.length > 4 && differsByOne(known, letters));
  return near.length === 1 ? (near[0] ?? word) : word;
}

const ALIKE = ["ilt1jr", "oce", "un", "nm", "gq", "bh", "vy"];

/** Whether the words differ by one letter that text recognition often confuses. */
function looksAlike(one: string, other: string): boolean {
  const differing = Array.from(one, (letter, index) => [letter, other.charAt(index)] as const).filter(
    ([a, b]) => a !== b,
  );
  return (
    differing.length === 1 && differing.every(([a, b]) => ALIKE.some((group) => group.includes(a) && group.includes(b)))
  );
}

function differsByOne(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  return short.slice(short.length === long.length ? at + 1 : at) === long.slice(at + 1);
}

interface Marks {
  marks: ReadonlySet<Mark>;
  /** The share of known words in the label, from 0 to 1. */
  share: number;
}

/** The marks of a label; each stretch counts once, for the longest matching words. */
function findMarks(label: string): Marks {
  const marks = new Set<Mark>();
  const letters = countLetters(label);
  let rest = ` ${label} `;
  const known = new Set(label.split(" "));
  const hasEastAsian = EAST_ASIAN.test(label);
  for (const { marks: own, words, first, isEastAsian } of phrases) {
    if (isEastAsian ? !hasEastAsian : !known.has(first)) continue;
    const wanted = isEastAsian ? words : ` ${words} `;
    if (!rest.includes(wanted)) continue;
    for (const mark of own) marks.add(mark);
    rest = rest.replaceAll(wanted, isEastAsian ? "|" : " | ");
  }
  return { marks, share: letters === 0 ? 0 : (letters - countLetters(rest)) / letters };
}

const countLetters = (text: string): number => text.replaceAll(/[^\p{L}]/gu, "").length;

/** In Japanese "for 8 %: consumption tax" is the tax, and "consumption tax 8 %: for" is its base. */
const TAX_ON_BASE = /対象[^対]{0,20}税/u;

/** The meaning of the text beside an amount. Undefined if it is unknown. */
export function readLabel(text: string, isRecognized: boolean): Label | undefined {
  const label = normalizeLabel(text.replaceAll(/\d+(?:[.,]\d+)?\s?%/g, " % "), isRecognized)
    .replaceAll("%", " ")
    .replaceAll(/\s+/g, " ");
  if (label.length > 80) return undefined;
  const { marks, share } = findMarks(label.trim());
  if (marks.size === 0) return undefined;
  const role = marks.has("base") && TAX_ON_BASE.test(label) ? "tax" : chooseRole(marks);
  if (role === undefined || share < (PLAIN_ROLES.has(role) ? LEAST_SHARE : MOST_OF_IT)) return undefined;
  return { role, isIncluded: marks.has("included") };
}

/** "Tax advice" and "Gift card" are items: a label has few other words. */
const LEAST_SHARE = 0.3;
const MOST_OF_IT = 0.55;
const PLAIN_ROLES: ReadonlySet<Role> = new Set(["total", "due", "net", "tax", "item"]);

function chooseRole(marks: ReadonlySet<Mark>): Role | undefined {
  const isTotal = marks.has("total") || marks.has("vague_total");
  if (marks.has("ignored") && !marks.has("discount")) return "ignored";
  if (marks.has("levy")) return "item";
  for (const role of ["change", "discount", "rounding"] as const) if (marks.has(role)) return role;
  if (marks.has("tip")) return isTotal ? "total" : "tip";
  if (marks.has("due")) return "due";
  if (marks.has("deposit")) return "deposit";
  if (marks.has("base")) return "base";
  if (marks.has("excluded") && (isTotal || marks.has("net"))) return "net";
  if (marks.has("net")) return "net";
  if (marks.has("tax")) return isTotal && marks.has("included") ? "total" : "tax";
  if (marks.has("total")) return "total";
  if (marks.has("service")) return "service";
  for (const role of ["cash", "card", "vague_total"] as const) if (marks.has(role)) return role;
  return undefined;
}

const STOP_WORDS: Readonly<Record<Exclude<LanguageCode, "jpn">, string>> = {
  eng: "the and for you thank your date time receipt invoice number bill order phone page subtotal change table guest please amount due tax",
  deu: "der die und fur vielen dank datum uhrzeit quittung rechnung beleg nummer steuernummer mwst summe gesamt gesamtbetrag netto tisch bar betrag zimmer strasse",
  fra: "le la les et merci pour votre facture ticket recu heure montant tva ttc ht visite rue numero caisse carte siret client",
  spa: "el los y gracias por su factura recibo fecha hora importe iva efectivo cambio calle mesa visita cif nif cliente ticket propina",
  por: "o os obrigado pela sua fatura recibo data hora valor iva troco numerario rua mesa visita nif contribuinte cliente gorjeta cartao dinheiro",
};

/** The language of most known words; undefined on a tie. */
export function guessLanguage(rows: readonly Row[]): LanguageCode | undefined {
  const text = rows
    .map((row) => row.text)
    .join(" ")
    .slice(0, 20_000);
  const kana = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}年月円計税]/gu)?.length ?? 0;
  if (kana >= 4) return "jpn";
  const words = new Set(normalizeLabel(text, false).split(" "));
  const counts = (["eng", "deu", "fra", "spa", "por"] as const)
    .map((language) => ({ language, count: STOP_WORDS[language].split(" ").filter((word) => words.has(word)).length }))
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counts;
  return first !== undefined && first.count >= 2 && first.count > (second?.count ?? 0) ? first.language : undefined;
}
