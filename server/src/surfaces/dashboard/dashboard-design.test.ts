import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** docs/design.md and the style sheets say the same, and what they say can be read. */
const ROOT = join(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Colour {
  light: string;
  dark: string;
}

function readColours(css: string): ReadonlyMap<string, Colour> {
  const found = css.matchAll(/^ {2}--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/gm);
  return new Map([...found].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));
}

const colours = readColours(`${read("dashboard/src/theme.css")}\n${read("dashboard/src/views.css")}`);

/** As WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [one, other].map(luminance).toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it("the page of the design lists every colour of the style sheets, as it is there", () => {
  const rows = read("docs/design.md").matchAll(/^\| `([a-z-]+)` \| `(#[0-9a-f]{6})` \| `(#[0-9a-f]{6})` \|/gm);
  const told = new Map([...rows].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));
  expect(told.size).toBeGreaterThan(15);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(colours));
});

const TEXT = 4.5;
const EDGE = 3;
const GROUNDS = ["ground", "panel", "tint"];
const PAIRS: readonly (readonly [text: string, grounds: readonly string[], least: number])[] = [
  ["ink", [...GROUNDS, "wait-tint", "fail-tint", "done-tint", "money-tint", "sandbox-tint"], TEXT],
  ["quiet", GROUNDS, TEXT],
  ["accent", GROUNDS, TEXT],
  ["on-accent", ["accent"], TEXT],
  ...["wait", "fail", "done", "money", "sandbox"].map((name) => [name, [...GROUNDS, `${name}-tint`], TEXT] as const),
  ["edge", GROUNDS, EDGE],
];

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  it.each(PAIRS)("%s can be read on %j", (text, grounds, least) => {
    for (const ground of grounds) {
      const [front, back] = [colours.get(text)?.[theme] ?? "", colours.get(ground)?.[theme] ?? ""];
      expect(contrast(front, back), `${text} on ${ground}`).toBeGreaterThanOrEqual(least);
    }
  });
});

it("the other pages have the same colours where they have the same names", () => {
  const sheets = ["server/src/surfaces/discovery/pages/style.css", "server/src/surfaces/sign-in/sign-in.css"];
  for (const sheet of sheets) {
    const own = readColours(read(sheet));
    const shared = [...own].filter(([name]) => colours.has(name));
    expect(shared.length, sheet).toBeGreaterThan(4);
    for (const [name, colour] of shared) expect(colour, `${name} in ${sheet}`).toEqual(colours.get(name));
  }
});

const MOST_BYTES = 100_000;

it.each(["light", "dark"])("the picture in the %s theme is there, and small", (theme) => {
  expect(statSync(join(ROOT, `docs/images/dashboard-${theme}.webp`)).size).toBeLessThan(MOST_BYTES);
});
