import type { Word } from "../../reading/page.ts";
import { foldText, type PrintedLine } from "../printed-text.ts";

interface PrintedName {
  value: string;
  line: PrintedLine;
  words: readonly Word[];
}

const PART = /^[A-Z][A-Z'-]{0,30}$/;
const LABELS: ReadonlySet<string> = new Set(
  "NAME NOM NOMBRE NOME PASSENGER PASSAGIER PASSAGER PASAJERO PASSAGEIRO PASSEGGERO".split(" "),
);
/** Words allowed between those of a label, as in NAME OF PASSENGER. */
const OF_LABEL: ReadonlySet<string> = new Set("OF DES DER DU DE DEL DO NAME NUMBER".split(" "));
/** Words of forms that also begin family names, away from the stroke. */
const PARTICLES: ReadonlySet<string> = new Set(["DE", "DA", "VON"]);
const LONGEST_WORD = 64;
/** Words on either side of a stroke that may belong to the name. */
const MOST_WORDS = 3;
/** The maximum gap between words of one name, in letter widths. */
const WIDEST_BLANK = 2;
const MOST_NAMES = 40;

interface Token {
  text: string;
  /** The index of its word in the line. */
  at: number;
}

/**
 * The names on a boarding pass: FAMILY/GIVEN in capitals, with or without blanks around the stroke, and names beside a
 * label. `isOfForm` tells whether a word belongs to the form.
 */
export function findPrintedNames(
  lines: readonly PrintedLine[],
  isOfForm: (text: string) => boolean,
): readonly PrintedName[] {
  const found = lines.flatMap((line) => findByStroke(line, isOfForm));
  return (found.length > 0 ? found : findByLabel(lines, isOfForm)).slice(0, MOST_NAMES);
}

function findByStroke(line: PrintedLine, isOfForm: (text: string) => boolean): readonly PrintedName[] {
  const tokens = line.words.flatMap(({ text }, at): Token[] =>
    foldText(text.slice(0, LONGEST_WORD))
      .split(/(\/)/)
      .filter((part) => part !== "")
      .map((part) => ({ text: part, at })),
  );
  return tokens.flatMap(({ text }, index) => {
    if (text !== "/") return [];
    const mayBe = (one: Token, beside: Token) => {
      const isParticle = one !== beside && PARTICLES.has(one.text);
      const isPart = PART.test(one.text) && (isParticle || !isOfForm(one.text)) && !LABELS.has(one.text);
      return isPart && areClose(line.words, one.at, beside.at);
    };
    const before = takeName(tokens.slice(Math.max(0, index - MOST_WORDS), index).toReversed(), mayBe).toReversed();
    const after = takeName(tokens.slice(index + 1, index + 1 + MOST_WORDS), mayBe);
    const [family, given] = [before, after].map((part) => part.map((token) => token.text).join(" "));
    // Labels in two languages, and pairs of airports, look like names.
    if (family === undefined || given === undefined || family.length < 2 || given === "") return [];
    if (family.length <= 3 && given.length <= 3) return [];
    const value = `${family}/${given}`;
    return [{ value, line, words: line.words.slice(before[0]?.at ?? 0, (after.at(-1)?.at ?? 0) + 1) }];
  });
}

/** From the stroke outwards. */
function takeName(tokens: readonly Token[], mayBe: (one: Token, beside: Token) => boolean): readonly Token[] {
  const taken: Token[] = [];
  for (const token of tokens) {
    if (!mayBe(token, taken.at(-1) ?? token)) break;
    taken.push(token);
  }
  return taken;
}

function areClose(words: readonly Word[], one: number, other: number): boolean {
  const [left, right] = [words[Math.min(one, other)], words[Math.max(one, other)]];
  if (one === other || left === undefined || right === undefined) return true;
  const letter = left.box.width / Math.max(1, left.text.length);
  return right.box.x - left.box.x - left.box.width < WIDEST_BLANK * letter;
}

/** Two or more words after a label, or directly below it. */
function findByLabel(lines: readonly PrintedLine[], isOfForm: (text: string) => boolean): readonly PrintedName[] {
  const isPart = ({ text }: Word) => {
    const folded = foldText(text.slice(0, LONGEST_WORD));
    return PART.test(folded) && !isOfForm(folded) && !LABELS.has(folded);
  };
  const takeParts = (words: readonly Word[]) => {
    const end = words.findIndex((word, index) => !isPart(word) || !areClose(words, Math.max(0, index - 1), index));
    return words.slice(0, end === -1 ? words.length : end);
  };
  return lines.flatMap((line, row) =>
    line.words.flatMap((word, at) => {
      if (!LABELS.has(foldText(word.text.slice(0, LONGEST_WORD)).replace(/:$/, ""))) return [];
      const rest = line.words.slice(at + 1);
      const start = rest.findIndex(
        ({ text }) => !OF_LABEL.has(foldText(text).replace(/:$/, "")) && !LABELS.has(foldText(text).replace(/:$/, "")),
      );
      const below = lines[row + 1];
      const beneath = below?.words.filter(({ box }) => box.x >= word.box.x - word.box.width / 2) ?? [];
      const places = [
        { line, words: start === -1 ? [] : takeParts(rest.slice(start)) },
        ...(below === undefined ? [] : [{ line: below, words: takeParts(beneath) }]),
      ];
      const [found] = places.filter(({ words }) => words.length >= 2 && words.length <= 2 * MOST_WORDS);
      if (found === undefined) return [];
      return [{ ...found, value: found.words.map(({ text }) => foldText(text)).join(" ") }];
    }),
  );
}
