import type { Marks } from "./cursor.ts";

export interface Party {
  readonly adults: number | undefined;
  /** Undefined: children were not spoken of. */
  readonly children: number | undefined;
  /** Their number is said, or that there are none: "our son" may be one of several. */
  readonly areChildrenCounted: boolean;
  readonly ages: readonly number[];
  /** People such as "my wife", who come along with the caller. */
  readonly companions: number;
  /** "Me and my son" */
  readonly joinsCaller: boolean;
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
  let grown: number | undefined;
  let people = readGroup(marks);
  let children: number | undefined = ages.length > 0 ? ages.length : undefined;
  let areChildrenCounted = false;
  for (const index of marks.find(...COUNTS)) {
    const { kind, folded } = marks.at(index);
    const at = marks.pass(index - 1, ["skip", "sign"], -1);
    const { kind: before, number } = marks.at(at);
    const count = before === "number" && !marks.isUsed(at) ? number : before === "couple" ? 0 : undefined;
    if (kind === "child" || kind === "infant") {
      areChildrenCounted ||= count !== undefined || before === "no" || before === "not";
      children = Math.max(children ?? 0, count ?? (PLURAL.test(folded) ? 0 : 1));
    } else if (kind === "adult" && before === "couple") {
      // "Somos dos adultos"
      grown = (grown ?? 0) + number;
      marks.use(at);
    } else if (count !== undefined && count > 0) {
      if (kind === "adult" || FRIENDS.test(folded)) grown = (grown ?? 0) + count;
      else people = { count: (people?.count ?? 0) + count, isStated: isStated(marks, at, index) };
    }
    if (count !== undefined && before === "number") marks.use(at, index);
    else if (kind !== "person") marks.use(index);
  }
  if (grown === undefined && people === undefined) {
    const count = readFor(marks);
    if (count !== undefined) people = { count, isStated: false };
  }
  for (const index of marks.find("couple")) {
    marks.use(index);
    const { number: count, folded } = marks.at(index);
    if (grown === undefined) people ??= { count, isStated: count > 2 && /^(?:wir sind )?zu |^somos/.test(folded) };
  }
  const companions = marks.find("companion");
  for (const index of companions) marks.use(index);
  const joinsCaller = joinsSelf(marks);
  // "Five people, two adults and our kids"
  const rest = (people?.count ?? 0) - (grown ?? 0);
  if (children === 0 && !areChildrenCounted && grown !== undefined && rest > 0) children = rest;
  return {
    adults: countAdults({ grown, people, children: children ?? 0, companions: companions.length, joinsCaller }),
    children,
    areChildrenCounted,
    ages,
    companions: companions.length,
    joinsCaller,
    isAlone: marks.has("alone"),
  };
}

const PLURAL = /(?:(?<!'|sohne)s|kinder|kindern|children)$/;
const FRIENDS = /^(?:friends|colleagues|freunden?|kollegen|amig[oa]s|companeros)$/;

/** A number of people, who may be counted a second time by parts. */
interface Group {
  readonly count: number;
  /** The words leave no doubt that children are among them. */
  readonly isStated: boolean;
}

interface Counted {
  readonly grown: number | undefined;
  readonly people: Group | undefined;
  readonly children: number;
  readonly companions: number;
  readonly joinsCaller: boolean;
}

/** "Four people, two adults and two kids" are four, and "two people and a child" are three. */
function countAdults({ grown, people, children, companions, joinsCaller }: Counted): number | undefined {
  if (people === undefined) return grown;
  const { count, isStated: isWhole } = people;
  if (grown !== undefined) return children > 0 && count > children + grown ? count - children : grown;
  if (children === 0 || count <= children) return count;
  const isSum = (companions > 0 || joinsCaller) && count === 1 + companions + children;
  return isSum || isWhole ? count - children : count;
}

const STATES = /^(?:are|we're|there're|sind|waren|somos|seremos|family|familie|familia)$/;
const AMONG =
  /\b(?:of (?:them|whom|us|which)|davon|darunter|including|included|incl|inklusive|de ell[oa]s|incluid[oa]s?|incluyendo|entre ell[oa]s)\b/;

/** "We are four with two kids" and "three people, one of them a child"; "we are two people and a child" adds. */
function isStated(marks: Marks, at: number, last: number): boolean {
  const after = marks.list.slice(last + 1).map(({ folded }) => folded);
  if (AMONG.test(after.join(" "))) return true;
  const { number } = marks.at(at);
  return number > 2 && STATES.test(marks.at(marks.pass(at - 1, ["from"], -1)).folded) && marks.kind(last + 1) !== "and";
}

/** "We are four: …", "a family of four": a number without a noun. */
function readGroup(marks: Marks): Group | undefined {
  for (const index of marks.find("number")) {
    const { number } = marks.at(index);
    if (!Number.isInteger(number) || number < 2 || number > 9) continue;
    const lead = marks.at(marks.pass(index - 1, ["from"], -1)).folded;
    const isFamily = /^famil/.test(marks.at(marks.pass(index - 1, ["skip", "from"], -1)).folded);
    const isClosed = /^(?:sign|end|withWord|and)$/.test(marks.kind(index + 1));
    if (!isFamily && !(STATES.test(lead) && isClosed)) continue;
    marks.use(index);
    return { count: number, isStated: isFamily || isStated(marks, index, index) };
  }
  return undefined;
}

const SELF = /^(?:me|myself|i|ich|mich|mir|yo|mi)$/;

const joinsSelf = (marks: Marks): boolean =>
  marks.find("and").some((index) => {
    const isChild = (at: number): boolean => /^(?:child|infant)$/.test(marks.kind(at));
    const after = marks.pass(index + 1, ["skip", "number"]);
    return (
      (SELF.test(marks.at(index - 1).folded) && isChild(after)) ||
      (SELF.test(marks.at(index + 1).folded) && /^(?:child|infant|yearUnit|old|aged)$/.test(marks.kind(index - 1)))
    );
  });

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
    // "6-jährig": the dash is no "until" here.
    const isDash = marks.at(index - 1).folded === "-";
    const at = marks.pass(isDash ? index - 2 : index - 1, ["sign"], -1);
    const { kind, number } = marks.at(at);
    // "Before ten is too early"
    const isVerb = /^(?:who )?is$/.test(marks.at(index).folded);
    if (isVerb || kind !== "number" || marks.isUsed(at) || !isAge(number)) continue;
    ages.push(number);
    marks.use(at, index);
  }
  return ages;
}
