/** A part of one line of a machine-readable zone. */
export interface Span {
  line: number;
  from: number;
  to: number;
}

export type MrzFormat = "TD1" | "TD2" | "TD3" | "MRV-A" | "MRV-B";

/** The positions of items in a format of ICAO 9303. */
export interface MrzLayout {
  format: MrzFormat;
  lines: number;
  width: number;
  /** The allowed first characters. */
  codes: string;
  issuer: Span;
  names: Span;
  documentNumber: Span;
  nationality: Span;
  born: Span;
  sex: Span;
  expires: Span;
  /** For the issuer's use; in cards a long document number continues in it. */
  optional: Span;
  /** Only in passports. */
  optionalCheck: Span | undefined;
  /** Visas have none. */
  composite: { check: Span; over: readonly Span[] } | undefined;
}

const at = (line: number, from: number, to: number): Span => ({ line, from, to });

/** Shared by the formats of two lines. */
const SECOND_LINE = {
  issuer: at(0, 2, 5),
  documentNumber: at(1, 0, 9),
  nationality: at(1, 10, 13),
  born: at(1, 13, 19),
  sex: at(1, 20, 21),
  expires: at(1, 21, 27),
} as const;

export const MRZ_LAYOUTS: readonly MrzLayout[] = [
  {
    ...SECOND_LINE,
    format: "TD3",
    lines: 2,
    width: 44,
    codes: "P",
    names: at(0, 5, 44),
    optional: at(1, 28, 42),
    optionalCheck: at(1, 42, 43),
    composite: { check: at(1, 43, 44), over: [at(1, 0, 10), at(1, 13, 20), at(1, 21, 43)] },
  },
  {
    format: "TD1",
    lines: 3,
    width: 30,
    codes: "IAC",
    issuer: at(0, 2, 5),
    names: at(2, 0, 30),
    documentNumber: at(0, 5, 14),
    nationality: at(1, 15, 18),
    born: at(1, 0, 6),
    sex: at(1, 7, 8),
    expires: at(1, 8, 14),
    optional: at(0, 15, 30),
    optionalCheck: undefined,
    composite: { check: at(1, 29, 30), over: [at(0, 5, 30), at(1, 0, 7), at(1, 8, 15), at(1, 18, 29)] },
  },
  {
    ...SECOND_LINE,
    format: "TD2",
    lines: 2,
    width: 36,
    codes: "IAC",
    names: at(0, 5, 36),
    optional: at(1, 28, 35),
    optionalCheck: undefined,
    composite: { check: at(1, 35, 36), over: [at(1, 0, 10), at(1, 13, 20), at(1, 21, 35)] },
  },
  {
    ...SECOND_LINE,
    format: "MRV-A",
    lines: 2,
    width: 44,
    codes: "V",
    names: at(0, 5, 44),
    optional: at(1, 28, 44),
    optionalCheck: undefined,
    composite: undefined,
  },
  {
    ...SECOND_LINE,
    format: "MRV-B",
    lines: 2,
    width: 36,
    codes: "V",
    names: at(0, 5, 36),
    optional: at(1, 28, 36),
    optionalCheck: undefined,
    composite: undefined,
  },
];

export function textAt(lines: readonly string[], { line, from, to }: Span): string {
  return (lines[line] ?? "").slice(from, to);
}

/** The character after an item: its check digit. */
export function after({ line, to }: Span): Span {
  return { line, from: to, to: to + 1 };
}

const WEIGHTS = [7, 3, 1];

/** The check digit of ICAO 9303: values of the characters times 7, 3 and 1 in turn, modulo 10. */
export function computeCheckDigit(text: string): string {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    sum += (character === "<" ? 0 : Number.parseInt(character, 36)) * (WEIGHTS[index % 3] ?? 0);
  }
  return String(sum % 10);
}
