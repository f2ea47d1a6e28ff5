import { describe, expect, it } from "vitest";
import { type Dialogue, KINDS, LANGUAGES, NEXT, SLOTS } from "./dialogue.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import { listDays, renderDates } from "./render-dates.ts";
import { spanish } from "./spanish.ts";
import { strangers } from "./strangers.ts";
import { wholeTrips } from "./whole-trips.ts";

const dialogues: readonly Dialogue[] = [...english, ...german, ...spanish];
const TODAY = Temporal.PlainDate.from("2026-11-27");
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/u;

/** Every text in a value that looks like a template. */
function listTemplates(value: unknown): string[] {
  if (typeof value === "string") return value.startsWith("{") ? [value] : [];
  if (typeof value !== "object" || value === null || value instanceof RegExp) return [];
  return Object.values(value).flatMap(listTemplates);
}

it("has twenty dialogues in each language and all kinds", () => {
  for (const language of LANGUAGES) {
    expect(dialogues.filter((dialogue) => dialogue.language === language)).toHaveLength(20);
  }
  expect(new Set(dialogues.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  expect(new Set(dialogues.map(({ id }) => id)).size).toBe(dialogues.length);
});

describe.each([...dialogues, ...strangers, ...wholeTrips])(
  "$id",
  ({ id, language, say, answers, given = [], goal }) => {
    it("is a dialogue of its language with a change of mind, a goal and dates that render", () => {
      expect(id.slice(0, 3)).toBe(`${language}-`);
      expect(say.length).toBeGreaterThanOrEqual(2);
      const texts = [...say, ...Object.values(answers).flat()].filter((text) => text !== NEXT);
      for (const text of texts) expect(renderDates(text, language, TODAY)).toMatch(/^[^{}\n]{1,400}$/u);
      for (const slot of Object.keys(answers)) expect(SLOTS).toContain(slot);
      expect([...(goal.calls ?? []), ...(goal.orders ?? [])].length).toBeGreaterThan(0);
      for (const template of [...listTemplates(goal), ...listTemplates(given)]) {
        const days = listDays(template, TODAY);
        expect(days.length).toBeGreaterThan(0);
        for (const day of days) expect(day).toMatch(ISO_DATE);
      }
    });

    it("answers the confirmation of what it wants bought or cancelled", () => {
      const wantsDeed = (goal.orders ?? []).length > given.filter((one) => !("trip" in one)).length || goal.cancelled;
      const replies = [answers.confirmation ?? []].flat();
      if (wantsDeed) expect(replies.at(-1)).toMatch(/^(?:yes|ja|sí|ok|vale)(?!\p{L})/iu);
    });
  },
);

it.each([
  ["{in 40 days}", "en", "January 6"],
  ["{in 40 days dayFirst}", "en", "6 January"],
  ["{in 40 days short}", "en", "Jan 6"],
  ["{in 40 days weekday}", "de", "Mittwoch, 6. Januar"],
  ["{in 40 days short}", "de", "6.1."],
  ["{in 40 days}", "es", "6 de enero"],
  ["{in 40 days iso}", "es", "2027-01-06"],
  ["{next friday}", "de", "nächsten freitag"],
  ["{this monday}", "es", "este lunes"],
  ["{tomorrow}", "es", "mañana"],
] as const)("says %s in %s as %s", (template, language, said) => {
  expect(renderDates(template, language, TODAY)).toBe(said);
});

it.each([
  ["{next friday}", ["2026-12-04", "2026-12-11"]],
  ["{this monday}", ["2026-11-30"]],
  ["{saturday after 30 days}", ["2027-01-02"]],
  ["{day 7}", ["2026-12-07"]],
  ["{day 27 plus 3}", ["2026-12-30"]],
  ["FRA", ["FRA"]],
])("means by %s the days %s", (template, days) => {
  expect(listDays(template, TODAY)).toEqual(days);
});
