import type { Language } from "./dialogue.ts";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const TEMPLATE = /\{(?<day>[a-z0-9 ]+?)(?: (?<style>short|weekday|iso|dayFirst))?\}/gu;
const LOCALES = { en: "en-US", de: "de-DE", es: "es-ES" } as const;

const NAMES: Record<Language, { this: readonly string[]; next: readonly string[]; tomorrow: string }> = {
  en: {
    this: WEEKDAYS.map((name) => `this ${name}`),
    next: WEEKDAYS.map((name) => `next ${name}`),
    tomorrow: "tomorrow",
  },
  de: {
    this: ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"].map(
      (day) => `diesen ${day}`,
    ),
    next: ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"].map(
      (day) => `nächsten ${day}`,
    ),
    tomorrow: "morgen",
  },
  es: {
    this: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"].map((day) => `este ${day}`),
    next: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"].map((day) => `el próximo ${day}`),
    tomorrow: "mañana",
  },
};

/**
 * The days that a template's words can mean, counted from today:
 * - `in 40 days`
 * - `tomorrow`
 * - `this friday`: the next day with this name, today excluded
 * - `next friday`: that day or the one a week later, as people mean both
 * - `saturday after 30 days`: the first such day that is at least so far away
 * - `day 7`: the next seventh of a month, today excluded
 *
 * Each may be followed by ` plus 3`, days later.
 */
function findDays(words: string, today: Temporal.PlainDate): readonly Temporal.PlainDate[] {
  const [, base = "", later] = /^(.+) plus (\d+)$/u.exec(words) ?? [];
  if (later !== undefined) return findDays(base, today).map((date) => date.add({ days: Number(later) }));
  const inDays = /^in (\d+) days$/u.exec(words)?.[1];
  if (inDays !== undefined) return [today.add({ days: Number(inDays) })];
  if (words === "tomorrow") return [today.add({ days: 1 })];
  const dayOfMonth = /^day (\d+)$/u.exec(words)?.[1];
  if (dayOfMonth !== undefined) return [findDayOfMonth(Number(dayOfMonth), today.add({ days: 1 }))];
  const [, which = "", name = ""] = /^(this|next) ([a-z]+)$/u.exec(words) ?? [];
  if (WEEKDAYS.includes(name)) {
    const coming = findWeekday(name, today.add({ days: 1 }));
    return which === "this" ? [coming] : [coming, coming.add({ days: 7 })];
  }
  const [, weekday = "", distance = ""] = /^([a-z]+) after (\d+) days$/u.exec(words) ?? [];
  if (WEEKDAYS.includes(weekday)) return [findWeekday(weekday, today.add({ days: Number(distance) }))];
  throw new Error(`no such template of a date: {${words}}`);
}

function findWeekday(name: string, from: Temporal.PlainDate): Temporal.PlainDate {
  const wanted = WEEKDAYS.indexOf(name) + 1;
  return from.add({ days: (wanted - from.dayOfWeek + 7) % 7 });
}

function findDayOfMonth(day: number, from: Temporal.PlainDate): Temporal.PlainDate {
  let date = from;
  while (date.day !== day) date = date.add({ days: 1 });
  return date;
}

function sayDay(words: string, style: string | undefined, language: Language, today: Temporal.PlainDate): string {
  const [date] = findDays(words, today);
  if (date === undefined) throw new Error(`{${words}} means no day`);
  const [, which, name = ""] = /^(this|next) ([a-z]+)$/u.exec(words) ?? [];
  const names = NAMES[language];
  if (which === "this") return names.this[WEEKDAYS.indexOf(name)] ?? words;
  if (which === "next") return names.next[WEEKDAYS.indexOf(name)] ?? words;
  if (words === "tomorrow") return names.tomorrow;
  if (style === "iso") return date.toString();
  if (style === "short") {
    if (language === "de") return `${date.day}.${date.month}.`;
    if (language === "es") return `${date.day}/${date.month}`;
    return date.toLocaleString("en-US", { day: "numeric", month: "short" });
  }
  const locale = style === "dayFirst" && language === "en" ? "en-GB" : LOCALES[language];
  const weekday = style === "weekday" ? ({ weekday: "long" } as const) : {};
  return date.toLocaleString(locale, { day: "numeric", month: "long", ...weekday });
}

/** The text with its templates as people of the language say such a day. */
export function renderDates(text: string, language: Language, today: Temporal.PlainDate): string {
  return text.replace(TEMPLATE, (_match, day: string, style: string | undefined) =>
    sayDay(day, style, language, today),
  );
}

/** The days, as ISO dates, that a goal's value stands for; the value itself if it is no template. */
export function listDays(value: string, today: Temporal.PlainDate): readonly string[] {
  const [, words] = /^\{(.+)\}$/u.exec(value) ?? [];
  return words === undefined ? [value] : findDays(words, today).map((date) => date.toString());
}
