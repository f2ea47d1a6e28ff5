import { arrivesHome, isTooMuch, isTurned, readBound } from "./bounds.ts";
import type { Marks } from "./cursor.ts";
import { findRole } from "./dates.ts";

export interface Maximum {
  readonly amount: number;
  readonly currency: string | undefined;
  readonly isPerNight: boolean;
  /** The journey's part that the words beside it name. */
  readonly part?: "stay" | "flight";
}

export function readMaximum(marks: Marks): Maximum | undefined {
  for (const index of marks.find("number")) {
    const { number } = marks.at(index);
    const before = marks.at(marks.pass(index - 1, ["skip", "about"], -1));
    const isMoneyBefore = before.kind === "currency";
    const after = marks.at(index + 1);
    const currency = isMoneyBefore ? before.value : after.kind === "currency" ? after.value : undefined;
    const from = marks.pass(index - 1, ["currency", "skip", "about"], -1);
    const hasLimit =
      marks.kind(from) === "max" ||
      // "Bis 130 Euro".
      (marks.kind(from) === "until" && currency !== undefined) ||
      marks.kind(marks.pass(index + 1, ["currency", "skip", "perNight", "sign"])) === "max";
    const isPlainLimit = hasLimit && number >= 20 && !/^(?:clock|person|adult|month|stars|night)$/.test(after.kind);
    if (!(hasLimit && (currency !== undefined || isPlainLimit)) && !(currency !== undefined && marks.has("max")))
      continue;
    marks.use(index);
    const isPerNight = marks.has("perNight");
    const part = isPerNight ? "stay" : findPart(marks, index);
    return { amount: number, currency, isPerNight, ...(part === undefined ? {} : { part }) };
  }
  return undefined;
}

/** "A flight to Rome and a hotel under 130": the nearest one before, where both are spoken of. */
function findPart(marks: Marks, index: number): Maximum["part"] {
  if (!marks.has("stay") || !marks.has("flight")) return undefined;
  const before = marks.list.slice(0, index).findLast(({ kind }) => kind === "stay" || kind === "flight");
  return before?.kind === "stay" ? "stay" : "flight";
}

/** Minutes of the day. */
export interface TimeWindow {
  readonly from?: number;
  readonly until?: number;
  /** The time was named itself, as in "the one at 9". */
  readonly exact?: number;
}
export interface Times {
  readonly departs?: TimeWindow;
  readonly arrives?: TimeWindow;
  readonly returnDeparts?: TimeWindow;
  readonly returnArrives?: TimeWindow;
}

const DAYPARTS: Readonly<Record<string, TimeWindow>> = {
  morning: { from: 5 * 60, until: 12 * 60 },
  early: { from: 4 * 60, until: 9 * 60 },
  noon: { from: 11 * 60, until: 14 * 60 },
  afternoon: { from: 12 * 60, until: 18 * 60 },
  evening: { from: 17 * 60, until: 24 * 60 - 1 },
  night: { from: 20 * 60, until: 24 * 60 - 1 },
};
const ABOUT_MINUTES = 90;

/** A part of the day that is not wanted leaves the rest of it: "not too early", "not in the evening". */
const BESIDE_DAYPARTS: Readonly<Record<string, TimeWindow>> = {
  morning: { from: 12 * 60 },
  early: { from: 9 * 60 },
  evening: { until: 18 * 60 },
  night: { until: 21 * 60 },
};
const EARLY = /\b(?:fruh|temprano)\b/;
const NOON = 12 * 60;
const FIRST_HOUR = 5 * 60;
const END_OF_DAY = 24 * 60 - 1;
const LATE = 20 * 60;

interface Timed {
  readonly window: TimeWindow;
  readonly to?: number;
  /** "Nothing before ten" is of both ways, where neither is named. */
  readonly isOfAny?: boolean;
}

export function readTimes(marks: Marks): Times {
  let times: Times = {};
  const put = (index: number, to: number, { window, isOfAny = false }: Timed, isClock: boolean): void => {
    const isHome = isClock && arrivesHome(marks, index);
    const role = isOfAny ? findRoleOfAny(marks, index, to) : findRoleOfTime(marks, index, to);
    const isBack = isHome || role === "back";
    const isArrival = isHome || findDirection(marks, index) === "arrive";
    const name: keyof Times = isBack
      ? isArrival
        ? "returnArrives"
        : "returnDeparts"
      : isArrival
        ? "arrives"
        : "departs";
    const isBoth = isOfAny && !isArrival && role === "none";
    const ways: readonly (keyof Times)[] = isBoth ? ["departs", "returnDeparts"] : [name];
    for (const one of ways) {
      times = { ...times, [one]: isClock ? withOther(times[one], window) : withinBoth(times[one], window) };
    }
  };
  for (let index = 0; index < marks.list.length; index += 1) {
    const clock = readClock(marks, index);
    if (clock === undefined || marks.isUsed(clock.at)) continue;
    const window = windowBy(marks, index, clock);
    if (window === undefined) continue;
    const last = window.to ?? clock.to;
    marks.use(index, last);
    // "That lands at twenty to five" tells of what is shown.
    if (window.window.exact !== undefined && tellsOfShown(marks, index)) {
      index = last;
      continue;
    }
    if (!marks.isNegated(index) || window.window.exact === undefined) put(index, last, window, true);
    index = last;
  }
  for (const index of marks.find("daypart")) {
    // "Before ten is too early" was read with its clock.
    if (isTooMuch(marks, index) && Object.keys(times).length > 0) continue;
    const window = windowByDaypart(marks, index);
    if (window !== undefined) put(index, index, { window }, false);
  }
  readLater(marks, (index, window) => put(index, index, { window }, false));
  return times;
}

/** From the start of its clause: "that one leaves at six", "die landet um zwanzig vor fünf", "ese llega a las cinco". */
const TELLS =
  /^(?:but |and |aber |und |pero |y )?(?:that|this|it|which|the first|the second|number \w+|die|der|das|ese|esa|eso|este)(?: (?:one|flight|flug|vuelo))?(?: (?:only|doch|ja|erst|solo))? (?:lands?|arrives?|leaves?|departs?|gets? (?:in|back|home|us|me)|is|landet|kommt|fliegt|geht|ist|llega|aterriza|sale|es)\b/;

function tellsOfShown(marks: Marks, index: number): boolean {
  const first = marks.list.findLastIndex(
    ({ kind, value }, at) => at < index && kind === "sign" && /^[.,;!?]$/.test(value),
  );
  const clause = marks.list.slice(first + 1, index).map(({ folded }) => folded);
  const isRelative = marks.list[first]?.value === ",";
  return TELLS.test(clause.join(" ")) && !(isRelative && /^(?:die|der|das|which|that)$/.test(clause[0] ?? ""));
}

function windowByDaypart(marks: Marks, index: number): TimeWindow | undefined {
  const { value, folded } = marks.at(index);
  const isEdge = value === "early" || EARLY.test(folded);
  const isUnwanted = marks.isNegated(index) || isTurned(marks, index) || (isEdge && isTooMuch(marks, index));
  if (!isUnwanted) return DAYPARTS[value] ?? {};
  // "No muy tarde" is late, and no afternoon.
  if (folded === "tarde") return { until: LATE };
  return isEdge ? BESIDE_DAYPARTS.early : BESIDE_DAYPARTS[value];
}

/** "A bit later in the day", "etwas später am Tag", and "not too late". */
function readLater(marks: Marks, put: (index: number, window: TimeWindow) => void): void {
  for (const [index, { folded, value }] of marks.list.entries()) {
    if (marks.isUsed(index)) continue;
    const isLater = marks.kind(index) === "later" || value === "latest";
    const isBit = /^(?:bit|little|somewhat|etwas|poco|algo)$/.test(marks.at(index - 1).folded);
    const isInDay = /^(?:in the day|am tag|ese dia|en el dia|ese mismo dia)/.test(wordsFrom(marks, index + 1));
    if (isLater && (isInDay || (isBit && findRole(marks, index, index) === "back"))) {
      marks.use(index);
      put(index, { from: NOON });
    } else if (/^(?:late|spat)$/.test(folded) && (isTurned(marks, index) || isTooMuch(marks, index))) {
      marks.use(index);
      put(index, { until: LATE });
    }
  }
}

const wordsFrom = (marks: Marks, index: number): string =>
  marks.list
    .slice(index, index + 4)
    .map(({ folded }) => folded)
    .join(" ");

/** "Not before nine and not after eleven": both ends of one window. */
function withOther(before: TimeWindow | undefined, window: TimeWindow): TimeWindow {
  if (before === undefined || before.exact !== undefined || window.exact !== undefined) return window;
  const isOther =
    (before.from === undefined && window.until === undefined) ||
    (before.until === undefined && window.from === undefined);
  const whole = { ...before, ...window };
  return isOther && (whole.from ?? 0) < (whole.until ?? 24 * 60) ? whole : window;
}

/** "In the morning, not before eight"; a clock that is of another part of the day was not meant so. */
function withinBoth(before: TimeWindow | undefined, part: TimeWindow): TimeWindow {
  if (before === undefined || before.exact !== undefined) return before ?? part;
  const from = Math.max(before.from ?? 0, part.from ?? 0);
  const until = Math.min(before.until ?? 24 * 60, part.until ?? 24 * 60);
  return from < until ? { from, until } : part;
}

const PLAIN_DAYPART = /^(?:morning|afternoon|evening|night|overnight)$/;

/** A time after a day is of that day's journey: "back on 10 March after 6 pm". */
function findRoleOfTime(marks: Marks, from: number, to: number): "out" | "back" | "none" {
  // "An afternoon return"
  if (PLAIN_DAYPART.test(marks.at(from).folded) && marks.kind(to + 1) === "back") return "back";
  const own = findRole(marks, from, to);
  if (own !== "none") return own;
  const day = marks.pass(from - 1, BESIDE_DAYS, -1);
  return marks.kind(day) === "back" ? "back" : "none";
}

/** "Back on the 15th, nothing before ten" is of both ways, unless only the way back is spoken of. */
function findRoleOfAny(marks: Marks, from: number, to: number): "out" | "back" | "none" {
  const isEnd = ({ kind, value }: { kind: string; value: string }) => kind === "sign" && /^[.,;!?]$/.test(value);
  const first = marks.list.findLastIndex((mark, at) => at < from && isEnd(mark)) + 1;
  const end = marks.list.findIndex((mark, at) => at > to && isEnd(mark));
  const clause = marks.list.slice(first, end === -1 ? undefined : end).map(({ kind }) => kind);
  if (clause.includes("back")) return "back";
  if (clause.includes("out")) return "out";
  return !marks.has("flight", "place") && findRoleOfTime(marks, from, to) === "back" ? "back" : "none";
}

const BESIDE_DAYS = [
  ...["skip", "sign", "in", "near", "about", "from", "to", "place"],
  ...["number", "ordinal", "month", "weekday", "date", "day", "daypart", "clock"],
];

function findDirection(marks: Marks, from: number): string | undefined {
  for (let index = from; index >= 0; index -= 1) {
    const kind = marks.kind(index);
    if (kind === "arrive" || kind === "leave" || kind === "out" || kind === "back") return kind;
  }
  return marks.kind(from + 2) === "arrive" || marks.kind(from + 3) === "arrive" ? "arrive" : undefined;
}

interface Clock {
  readonly at: number;
  readonly to: number;
  readonly minute: number;
  /** The mark says a time of day itself. */
  readonly isClear: boolean;
}

/** A time after a word such as "before" or "at", or one with its unit. */
function readClock(marks: Marks, index: number): Clock | undefined {
  const isLead = /^(?:before|after|about|between|from|to|in|until)$/.test(marks.kind(index));
  const at = isLead ? marks.pass(index + 1, ["skip", "about"]) : index;
  const { kind, number, value, folded } = marks.at(at);
  if (kind === "daypart" && value === "noon" && isLead) return { at, to: at, minute: 12 * 60, isClear: true };
  if (isLead && MIDNIGHT.test(folded)) return { at, to: at, minute: END_OF_DAY, isClear: true };
  if (kind === "clock") {
    const isInDaypart = marks.kind(at + 1) === "daypart" && number <= NOON;
    return isInDaypart
      ? { at, to: at + 1, minute: inDaypart(marks, at + 1, number), isClear: true }
      : { at, to: at, minute: number, isClear: true };
  }
  if (
    !isLead ||
    kind !== "number" ||
    value === "ordinal" ||
    number > 24 ||
    !(isTimeWord(marks, index) || isOnward(marks, at))
  )
    return undefined;
  const next = marks.kind(at + 1);
  if (
    /^(?:currency|night|adult|child|person|option|month|week|dayUnit|monthUnit|stars|room|number|bag|infant|yearUnit|couple|max|stay|flight)$/.test(
      next,
    )
  )
    return undefined;
  const hour = Math.floor(number);
  const minute = Math.round((number - hour) * 100);
  const plain = hour * 60 + (minute < 60 ? minute : 0);
  const time = Math.min(next === "daypart" ? inDaypart(marks, at + 1, plain) : plain, END_OF_DAY);
  return { at, to: next === "daypart" ? at + 1 : at, minute: time, isClear: next === "daypart" };
}

const MIDNIGHT = /^(?:midnight|mitternacht|medianoche)$/;

/** "Ten in the evening", "zehn Uhr abends", "las nueve de la noche"; twelve at night is the end of the day. */
function inDaypart(marks: Marks, index: number, minute: number): number {
  const { value } = marks.at(index);
  const isLate = value === "evening" || (value === "night" && minute >= FIRST_HOUR);
  if (minute >= NOON) return minute < NOON + 60 && isLate ? END_OF_DAY : minute;
  return isLate || value === "afternoon" ? minute + NOON : minute;
}

/** Words that stand before a time without a unit: "at 9", "um 9", "a las 9". */
function isTimeWord(marks: Marks, index: number): boolean {
  const { kind, folded } = marks.at(index);
  return /^(?:before|after|between|about)$/.test(kind) || folded === "at" || folded === "ab";
}

function windowBy(marks: Marks, index: number, clock: Clock): Timed | undefined {
  const { kind, folded } = marks.at(index);
  const { minute } = clock;
  const second = marks.pass(clock.to + 1, ["skip"]);
  const isRange = kind === "between" || folded === "von" || folded === "from" || folded === "de" || folded === "desde";
  if (isRange && /^(?:and|until|to|sign)$/.test(marks.kind(second))) {
    const end = marks.at(marks.pass(second + 1, ["skip", "about"]));
    if (end.kind === "clock" || (end.kind === "number" && kind === "between")) {
      const until = end.kind === "clock" ? end.number : end.number * 60;
      const from =
        minute > until && minute > 12 * 60 - 1
          ? minute
          : minute < until - 12 * 60 && !clock.isClear
            ? minute + 12 * 60
            : minute;
      return { window: { from, until }, to: marks.pass(second + 1, ["skip", "about"]) };
    }
  }
  const bound = readBound(marks, index, clock.to);
  if (bound !== undefined) {
    const { isUpper, isOfAny } = bound;
    const time = clock.isClear ? minute : inDay(marks, index, { minute, isUpper });
    const behind = marks.pass(clock.to + 1, ["skip"]);
    const isBehind = /^(?:before|after)$/.test(marks.kind(behind)) && !/^(?:before|after)$/.test(kind);
    return { window: isUpper ? { until: time } : { from: time }, isOfAny, ...(isBehind ? { to: behind } : {}) };
  }
  if (
    (kind === "from" && (clock.isClear || folded === "ab" || isOnward(marks, clock.to))) ||
    (kind === "to" && folded === "nach")
  )
    return { window: { from: minute } };
  // "At eight back home"
  if (arrivesHome(marks, index))
    return { window: { until: clock.isClear ? minute : inDay(marks, index, { minute, isUpper: true }) } };
  if (clock.isClear || isTimeWord(marks, index)) {
    return {
      window: {
        from: Math.max(0, minute - ABOUT_MINUTES),
        until: Math.min(24 * 60 - 1, minute + ABOUT_MINUTES),
        exact: minute,
      },
    };
  }
  return undefined;
}

const isOnward = (marks: Marks, to: number): boolean =>
  /^(?:o'clock|on|onwards?|aufwarts|en adelante)$/.test(marks.at(to + 1).folded);

/** Nobody has to leave by six in the morning, or is home by eight: the afternoon is meant. */
function inDay(marks: Marks, index: number, { minute, isUpper }: { minute: number; isUpper: boolean }): number {
  const latestMorning = arrivesHome(marks, index) && isUpper ? 11 : isUpper ? 6 : 4;
  return minute > 0 && minute < (latestMorning + 1) * 60 ? minute + 12 * 60 : minute;
}
