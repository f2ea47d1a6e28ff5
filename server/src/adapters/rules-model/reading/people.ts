import type { Marks } from "./cursor.ts";

export interface Party {
  readonly adults: number | undefined;
  /** Undefined: children were not spoken of. */
  readonly children: number | undefined;
  readonly ages: readonly number[];
  /** People such as "my wife", who come along with the caller. */
  readonly companions: number;
  readonly isAlone: boolean;
}

const COUNTS = ["adult", "person", "child", "infant"];
/** Follow "for" where no people are meant. */
const NO_PEOPLE = [
  "night",
  "dayUnit",
  "week",
  "monthUnit",
  "currency",
  "stars",
  "room",
  "month",
  "clock",
  "number",
  "until",
  "bag",
  "ordinal",
  "sign",
  "yearUnit",
  "aged",
  "weekday",
  "stay",
  "flight",
  "order",
];

export function readParty(marks: Marks): Party {
  const ages = readAges(marks);
  let adults: number | undefined;
  let children: number | undefined = ages.length > 0 ? ages.length : undefined;
  for (const index of marks.find(...COUNTS)) {
    const { kind } = marks.at(index);
    const at = marks.pass(index - 1, ["skip", "sign"], -1);
    const { kind: before, number } = marks.at(at);
    const count = before === "number" && !marks.isUsed(at) ? number : before === "couple" ? 0 : undefined;
    if (kind === "child" || kind === "infant") {
      children = Math.max(
        children ?? 0,
        count ?? (/(?:s|kinder|kindern|kids|children)$/.test(marks.at(index).folded) ? 0 : 1),
      );
    } else if (count !== undefined && count > 0) adults = (adults ?? 0) + count;
    if (count !== undefined && before === "number") marks.use(at, index);
    else if (kind !== "person") marks.use(index);
  }
  adults ??= readFor(marks);
  for (const index of marks.find("couple")) {
    marks.use(index);
    adults ??= marks.at(index).number;
  }
  const companions = marks.find("companion");
  for (const index of companions) marks.use(index);
  return { adults, children, ages, companions: companions.length, isAlone: marks.has("alone") };
}

/** "For two", "para cuatro": a number that counts nothing else. */
function readFor(marks: Marks): number | undefined {
  for (const index of marks.find("forWord")) {
    const at = marks.pass(index + 1, ["skip"]);
    const { kind, number, folded } = marks.at(at);
    if (kind !== "number" || marks.isUsed(at) || number > 9 || /^(?:an?|un|una|ein\w*)$/.test(folded)) continue;
    const next = marks.at(at + 1);
    if (NO_PEOPLE.includes(next.kind) && !(next.kind === "sign" && /^[.,;!?)]$/.test(next.value))) continue;
    marks.use(at);
    return number;
  }
  return undefined;
}

const isAge = (number: number): boolean => Number.isInteger(number) && number >= 0 && number <= 17;

/** "Children of 6 and 9", "a 6-year-old", "Kind (6)". */
function readAges(marks: Marks): readonly number[] {
  const ages: number[] = [];
  for (const index of marks.find("child", "infant")) {
    let at = index + 1;
    while (
      at - index <= 8 &&
      /^(?:sign|skip|aged|from|and|number|yearUnit|old|in|word|withWord)$/.test(marks.kind(at)) &&
      !marks.isUsed(at)
    ) {
      const { kind, number, folded } = marks.at(at);
      const isCount = COUNTS.includes(marks.kind(marks.pass(at + 1, ["skip"])));
      if (kind === "number" && isAge(number) && !isCount && !/^(?:an?|un|una|ein\w*)$/.test(folded)) {
        if (/^(?:night|currency|dayUnit|week|room|stars|month)$/.test(marks.kind(at + 1))) break;
        ages.push(number);
        marks.use(at);
      } else if (kind === "number") break;
      at += 1;
    }
  }
  for (const index of marks.find("aged", "yearUnit")) {
    const at = marks.pass(index - 1, ["sign"], -1);
    const { kind, number } = marks.at(at);
    // "Before ten is too early"
    const isVerb = /^(?:who )?is$/.test(marks.at(index).folded);
    if (isVerb || kind !== "number" || marks.isUsed(at) || !isAge(number)) continue;
    ages.push(number);
    marks.use(at, index);
  }
  return ages;
}
