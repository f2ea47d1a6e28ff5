import type { Marks } from "./cursor.ts";

/** How somebody describes the one of a list that is meant: "the one 600 metres away", "the one for 188 dollars". */
export interface Attributes {
  readonly meters?: number;
  /** In whatever currency the list is. */
  readonly price?: number;
}

const DISTANCE =
  /(\d+(?:[.,]\d+)?) ?(km|kilometers?|kilometres?|kilometern?|kilometros?|m|meters?|metres?|metern?|metros)\b/;

export function readAttributes(marks: Marks, folded: string): Attributes {
  const [, count, unit = ""] = DISTANCE.exec(folded) ?? [];
  const meters = count === undefined ? undefined : Number(count.replace(",", ".")) * (unit.startsWith("k") ? 1000 : 1);
  const price = readPrice(marks);
  return { ...(meters === undefined ? {} : { meters }), ...(price === undefined ? {} : { price }) };
}

/** A number with a currency that is no limit. */
function readPrice(marks: Marks): number | undefined {
  if (marks.has("max", "perNight")) return undefined;
  for (const index of marks.find("number")) {
    const isMoney = marks.kind(index + 1) === "currency" || marks.kind(index - 1) === "currency";
    if (isMoney) return marks.at(index).number;
  }
  return undefined;
}

/** People say prices without their cents. */
export const PRICE_TOLERANCE = 1;

/** Both are as people say them: rounded. */
export const isAbout = (shown: number, said: number, tolerance: number): boolean => Math.abs(shown - said) <= tolerance;
