import type { Marks } from "./cursor.ts";

export interface DateMention {
  readonly role: "out" | "back" | "none";
  readonly date?: Temporal.PlainDate;
  /** The end of a range, such as of "12 to 15 December". */
  readonly end?: Temporal.PlainDate;
  /** Days after the other date, such as of "a week later". */
  readonly offset?: number;
  /** The offset is from the date that was spoken of: "a day earlier". */
  readonly isShift?: boolean;
  /** Only the day of the week was named: which week it is in follows from the journey. */
  readonly weekday?: number;
  readonly isWeekend?: boolean;
}

interface Found {
  readonly date?: Temporal.PlainDate;
  readonly end?: Temporal.PlainDate;
  readonly offset?: number;
  readonly isShift?: boolean;
  readonly weekday?: number;
  readonly isWeekend?: boolean;
  /** The last mark that belongs to it. */
  readonly to: number;
}

interface Context {
  readonly today: Temporal.PlainDate;
  /** In whose month a day without a month is: the last date that was spoken of. */
  readonly base: Temporal.PlainDate | undefined;
}

const FILLERS = ["skip", "from", "sign"];
/** A number that one of these follows counts something and is no day. */
const COUNTED = [
  "night",
  "adult",
  "child",
  "infant",
  "person",
  "option",
  "currency",
  "stars",
  "room",
  "bag",
  "dayUnit",
  "week",
  "monthUnit",
  "yearUnit",
  "aged",
  "old",
  "cabin",
  "stay",
  "nonStop",
  "perNight",
  "clock",
  "ticket",
  "ordinal",
];

export function readDates(marks: Marks, context: Context): readonly DateMention[] {
  const mentions: DateMention[] = [];
  let base = findLoneMonth(marks, context) ?? context.base;
  for (let index = 0; index < marks.list.length; index += 1) {
    const found = readDate(marks, index, { ...context, base });
    if (found === undefined) continue;
    const isMeant = !marks.isNegated(index);
    marks.use(index, found.to);
    const mention = { role: findRole(marks, index, found.to), ...found };
    if (isMeant) {
      mentions.push(mention);
      base = found.end ?? found.date ?? base;
    }
    index = found.to;
  }
  return withinWeekend(mentions);
}

/** "In mid January, from the 14th to the 18th": the month of the days that follow. */
export function findLoneMonth(marks: Marks, { today }: Pick<Context, "today">): Temporal.PlainDate | undefined {
  const index = marks.list.findIndex(({ kind }, at) => kind === "month" && isLoneMonth(marks, at));
  if (index === -1) return undefined;
  const first = Temporal.PlainDate.from({ year: today.year, month: marks.at(index).number, day: 1 });
  const end = first.add({ months: 1 });
  return Temporal.PlainDate.compare(end, today) <= 0 ? first.add({ years: 1 }) : first;
}

/** After words that leave no doubt: "may" is no month by itself. */
function isLoneMonth(marks: Marks, index: number): boolean {
  const before = [marks.at(index - 1), marks.at(index - 2)];
  const isLed = before.some(({ kind, folded }) => kind === "in" || LEADS_MONTH.test(folded));
  const isDated =
    before.some(({ kind }) => kind === "number") || marks.kind(marks.pass(index + 1, ["skip"])) === "number";
  return isLed && !isDated;
}

const LEADS_MONTH = /^(?:mid|early|late|beginning|end|mitte|anfang|ende|mediados|principios|finales)$/;

/** "Next weekend, out on Friday evening, home on Sunday": the days of the week are those of the weekend. */
function withinWeekend(mentions: readonly DateMention[]): readonly DateMention[] {
  const weekend = mentions.find(({ isWeekend }) => isWeekend === true);
  const days = mentions.filter(({ weekday }) => weekday !== undefined);
  if (weekend?.date === undefined || days.length === 0) return mentions;
  // "A long weekend: next Friday, and back on the Monday" names its days itself.
  if (mentions.some(({ weekday, isWeekend }) => weekday === undefined && isWeekend !== true))
    return mentions.filter(({ isWeekend }) => isWeekend !== true);
  const saturday = weekend.date;
  return days.map(({ weekday: number = 6, ...day }) => ({
    ...day,
    date: saturday.add({ days: AFTER_SATURDAY[number] ?? 0 }),
  }));
}

/** Days after its Saturday, by the day of the week. */
const AFTER_SATURDAY: Readonly<Record<number, number>> = { 3: -3, 4: -2, 5: -1, 6: 0, 7: 1, 1: 2, 2: 3 };

function readDate(marks: Marks, index: number, context: Context): Found | undefined {
  const mark = marks.at(index);
  switch (mark.kind) {
    case "date":
      return mark.date === undefined ? undefined : withEnd(marks, index, { ...mark.date }, context);
    case "day":
      return withSpan(marks, { date: context.today.add({ days: mark.number }), to: index });
    case "shift":
      return { offset: mark.number, isShift: true, to: index };
    case "in":
    case "number":
    case "fortnight":
      return readSpan(marks, index, context) ?? readDayOfMonth(marks, index, context);
    case "month":
      return readMonthFirst(marks, index, context);
    case "weekday":
    case "next":
    case "this":
      return readWeekday(marks, index, context);
    case "weekend":
      return readWeekend(marks, index, context);
    default:
      return undefined;
  }
}

interface Day {
  readonly day: number;
  readonly month?: number | undefined;
  readonly year?: number | undefined;
}

/** The next such day; a day without a month is in the month of the base, or soon after it. */
function resolveDay({ day, month, year }: Day, { today, base }: Context): Temporal.PlainDate {
  if (month !== undefined) {
    const date = Temporal.PlainDate.from({ year: year ?? today.year, month, day });
    return year === undefined && Temporal.PlainDate.compare(date, today) < 0 ? date.add({ years: 1 }) : date;
  }
  const from = base !== undefined && Temporal.PlainDate.compare(base, today) > 0 ? base : today;
  const date = Temporal.PlainDate.from({ year: from.year, month: from.month, day });
  // A correction of a day is in the same month, unless that is over.
  return Temporal.PlainDate.compare(date, today) < 0 ? date.add({ months: 1 }) : date;
}

function withEnd(marks: Marks, index: number, start: Day, context: Context, to = index): Found {
  const first = resolveDay(start, context);
  const joint = marks.pass(to + 1, ["skip"]);
  const after = marks.pass(joint + 1, ["skip", "from", "near"]);
  if (!isRangeJoint(marks, joint)) return { date: first, to };
  const next = marks.at(after);
  const base = { ...context, base: first };
  if (next.kind === "date" && next.date !== undefined)
    return { date: first, end: resolveDay(next.date, base), to: after };
  if (next.kind === "number" && isDay(next.number)) {
    const month = marks.pass(after + 1, FILLERS);
    if (marks.kind(month) === "month") {
      return { date: first, end: resolveDay({ day: next.number, month: marks.at(month).number }, base), to: month };
    }
    if (!COUNTED.includes(marks.kind(after + 1)) && start.month !== undefined) {
      return { date: first, end: laterDay(next.number, first), to: after };
    }
  }
  return { date: first, to };
}

const laterDay = (day: number, first: Temporal.PlainDate): Temporal.PlainDate => {
  const date = first.with({ day });
  return Temporal.PlainDate.compare(date, first) < 0 ? date.add({ months: 1 }) : date;
};

/** Longer spans, and parts of days, are no days of a journey. */
export const isSpan = (number: number): boolean => Number.isInteger(number) && number >= 0 && number <= 400;

const isDay = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 31;

function isRangeJoint(marks: Marks, index: number): boolean {
  const { kind, value, folded } = marks.at(index);
  return (
    kind === "until" ||
    (kind === "sign" && /^[-–—]$/.test(value)) ||
    (kind === "to" && /^(?:to|a|al|hasta|bis)/.test(folded))
  );
}

/** "In 40 days", "dentro de dos semanas", "a week later". */
function readSpan(marks: Marks, index: number, { today }: Context): Found | undefined {
  const isIn = marks.kind(index) === "in";
  const count = isIn ? marks.pass(index + 1, ["skip", "about"]) : index;
  const number = marks.at(count);
  if (number.kind === "fortnight" && isIn) return { date: today.add({ days: number.number }), to: count };
  if (number.kind !== "number" || !isSpan(number.number)) return undefined;
  const unit = marks.kind(count + 1);
  const days = unit === "dayUnit" ? number.number : unit === "week" ? number.number * 7 : undefined;
  if (days === undefined && unit !== "monthUnit") return undefined;
  if (isIn) {
    const to = count + 1;
    return { date: days === undefined ? today.add({ months: number.number }) : today.add({ days }), to };
  }
  const after = marks.pass(count + 2, ["skip"]);
  if (days !== undefined && marks.kind(after) === "later") return { offset: days, to: after };
  if (days !== undefined && marks.kind(after) === "earlier") return { offset: -days, isShift: true, to: after };
  const isFrom = marks.kind(count + 2) === "from";
  const from = marks.at(count + 3);
  // "A week from tomorrow"
  if (isFrom && days !== undefined && from.kind === "day")
    return { date: today.add({ days: days + from.number }), to: count + 3 };
  const isFromNow = isFrom && from.folded === "now";
  return isFromNow && days !== undefined ? { date: today.add({ days }), to: count + 3 } : undefined;
}

function readDayOfMonth(marks: Marks, index: number, context: Context): Found | undefined {
  const mark = marks.at(index);
  if (mark.kind !== "number" || !isDay(mark.number)) return undefined;
  const { number: day } = mark;
  const month = marks.pass(index + 1, FILLERS);
  if (marks.kind(month) === "month" && month - index <= 3) {
    const written = readYear(marks, month + 1);
    const start = { day, month: marks.at(month).number, year: written?.year };
    return withEnd(marks, index, start, context, written?.to ?? month);
  }
  // "12 to 15 December": the month follows the second day.
  const joint = marks.pass(index + 1, ["skip"]);
  const second = marks.pass(joint + 1, ["skip", "from", "near"]);
  const end = marks.at(second);
  const endMonth = marks.pass(second + 1, FILLERS);
  if ((isRangeJoint(marks, joint) || marks.kind(joint) === "and") && end.kind === "number" && isDay(end.number)) {
    if (marks.kind(endMonth) === "month" && endMonth - second <= 3) {
      const last = resolveDay(
        { day: end.number, month: marks.at(endMonth).number, year: readYear(marks, endMonth + 1)?.year },
        context,
      );
      const first = last.with({ day });
      const start = Temporal.PlainDate.compare(first, last) > 0 ? first.subtract({ months: 1 }) : first;
      const to = readYear(marks, endMonth + 1)?.to ?? endMonth;
      return isRangeJoint(marks, joint) ? { date: start, end: last, to } : { date: start, to: index };
    }
    if (isRangeJoint(marks, joint) && hasDayTrigger(marks, index) && !COUNTED.includes(marks.kind(second + 1))) {
      const start = resolveDay({ day }, context);
      return { date: start, end: laterDay(end.number, start), to: second };
    }
  }
  const next = marks.kind(index + 1);
  return hasDayTrigger(marks, index) && !COUNTED.includes(next)
    ? { date: resolveDay({ day }, context), to: index }
    : undefined;
}

function readYear(marks: Marks, index: number): { year: number; to: number } | undefined {
  const at = marks.pass(index, FILLERS);
  const { kind, number } = marks.at(at);
  return kind === "number" && number >= 2020 && number <= 2100 ? { year: number, to: at } : undefined;
}

/** The words before a number that make it a day of the month. */
function hasDayTrigger(marks: Marks, index: number): boolean {
  const mark = marks.at(index);
  const before = marks.at(index - 1);
  // "Regreso el 24"
  const word = before.folded.split(" ").at(-1) ?? "";
  if (/^(?:the|el|del|al|vom|am|zum|den|dem|dia)$/.test(word)) {
    return mark.value === "ordinal" || /^(?:el|del|al|dia|am)$/.test(word);
  }
  return (
    mark.value === "ordinal" && (before.kind === "end" || /^(?:on|bis|until|till|to|from|by)$/.test(before.folded))
  );
}

/** "January 6th" and "Jan 6-9". */
function readMonthFirst(marks: Marks, index: number, context: Context): Found | undefined {
  const at = marks.pass(index + 1, ["skip"]);
  const { kind, number } = marks.at(at);
  if (kind !== "number" || !isDay(number) || COUNTED.includes(marks.kind(at + 1))) return undefined;
  const written = readYear(marks, at + 1);
  return withEnd(
    marks,
    index,
    { day: number, month: marks.at(index).number, year: written?.year },
    context,
    written?.to ?? at,
  );
}

/** "Next Friday", "el viernes que viene", "Tuesday next week", "Saturday the 12th". */
function readWeekday(marks: Marks, index: number, context: Context): Found | undefined {
  const at = marks.kind(index) === "weekday" ? index : marks.pass(index + 1, ["skip", "week", "sign"]);
  if (marks.kind(at) !== "weekday" || at - index > 3) return undefined;
  const isInNextWeek = marks.list.slice(index, at).some(({ kind }) => kind === "week") && marks.kind(index) === "next";
  const day = marks.pass(at + 1, ["skip", "sign", "near"]);
  const explicit = readDate(marks, day, context);
  if (explicit?.date !== undefined && /^(?:number|month|date)$/.test(marks.kind(day)) && day - at <= 3) return explicit;
  const number = marks.at(day);
  if (day - at === 1 && number.kind === "number" && isDay(number.number) && !COUNTED.includes(marks.kind(day + 1))) {
    return { date: resolveDay({ day: number.number }, context), to: day };
  }
  const { today, base } = context;
  const nextAfter = (from: Temporal.PlainDate) =>
    from.add({ days: (marks.at(at).number - from.dayOfWeek + 7) % 7 || 7 });
  // "The Tuesday after": after the date that was named before it.
  const isAfter = /^(?:after|afterwards|danach|darauf|siguiente)$/.test(marks.at(at + 1).folded);
  if (base !== undefined && isAfter && !/^(?:number|clock|daypart)$/.test(marks.kind(at + 2))) {
    return { date: nextAfter(base), to: at + 1 };
  }
  const soon = nextAfter(today);
  const after = marks.pass(at + 1, ["skip", "in", "from", "sign"]);
  if (isInNextWeek || isNextWeek(marks, after)) {
    const monday = today.add({ days: 8 - today.dayOfWeek });
    const to = isInNextWeek ? at : after + 1;
    return { date: monday.add({ days: marks.at(at).number - 1 }), to };
  }
  const isNext = marks.kind(index) === "next" || marks.kind(index) === "this" || marks.kind(at + 1) === "next";
  const to = marks.kind(at + 1) === "next" && marks.kind(at + 2) !== "weekday" ? at + 1 : at;
  const late = withSpan(marks, { date: soon, to });
  if (late.to > to) return late;
  return { date: soon, to, ...(isNext ? {} : { weekday: marks.at(at).number }) };
}

/** "Morgen in zwei Wochen", "mañana en ocho días": so long after the day. */
function withSpan(marks: Marks, { date, to }: { date: Temporal.PlainDate; to: number }): Found {
  const count = marks.pass(to + 2, ["skip"]);
  const { kind, number } = marks.at(count);
  const unit = marks.kind(count + 1);
  if (marks.kind(to + 1) !== "in" || kind !== "number" || !isSpan(number)) return { date, to };
  if (unit !== "week" && unit !== "dayUnit") return { date, to };
  return { date: date.add({ days: unit === "week" ? number * 7 : number }), to: count + 1 };
}

const isNextWeek = (marks: Marks, index: number): boolean =>
  (marks.kind(index) === "next" && marks.kind(index + 1) === "week") ||
  (marks.kind(index) === "week" && marks.kind(index + 1) === "next");

/** From Saturday to Sunday; a hotel is from Friday on only where that is said. */
function readWeekend(marks: Marks, index: number, { today }: Context): Found {
  const isNext = marks.kind(index - 1) === "next" || marks.kind(index + 1) === "next";
  const saturday = today.add({ days: (6 - today.dayOfWeek + 7) % 7 || 7 });
  const date =
    isNext && today.dayOfWeek >= 6 ? saturday : isNext && today.dayOfWeek < 6 ? saturday.add({ days: 7 }) : saturday;
  return {
    date,
    isWeekend: true,
    end: date.add({ days: 1 }),
    to: marks.kind(index + 1) === "next" ? index + 1 : index,
  };
}

/** "Monday for coming home", "am Montag erst zurück", "el lunes para volver" */
function passToWay(marks: Marks, index: number): number {
  const at = marks.pass(index, ["skip", "daypart", "about", "clock"]);
  const isJoint =
    /^(?:forWord|to)$/.test(marks.kind(at)) || /^(?:erst|doch|lieber|schon|wieder|nur)$/.test(marks.at(at).folded);
  const way = marks.pass(at + 1, ["skip", "this"]);
  return isJoint && /^(?:back|out)$/.test(marks.kind(way)) ? way : at;
}

/** Which journey a date or a time belongs to, by the nearest word that says so. */
export function findRole(marks: Marks, from: number, to: number): "out" | "back" | "none" {
  const after = passToWay(marks, to + 1);
  const following = marks.pass(after + 1, ["skip"]);
  const isClosed = /^(?:end|sign|and|instead|forWord|no|want|later)$/.test(marks.kind(following));
  if (isClosed && marks.kind(after) === "back") return "back";
  if (isClosed && marks.kind(after) === "out") return "out";
  // "Until the 9th" ends what was spoken of.
  if (/^(?:until|till?|bis|hasta)\b/.test(marks.at(marks.pass(from - 1, ["skip"], -1)).folded)) return "back";
  for (let index = from - 1; index >= 0; index -= 1) {
    const { kind } = marks.at(index);
    // "Leaving on" is the end of a stay, and the beginning of a flight.
    const isStay = kind === "checkOut" && !marks.has("flight");
    if (kind === "back" || isStay) return "back";
    if (kind === "out" || kind === "leave" || kind === "checkOut") return "out";
    if (/^(?:weekday|date|month|day)$/.test(kind)) break;
  }
  return "none";
}
