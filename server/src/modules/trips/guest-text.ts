/**
 * A buyer's text for a guest is shown under our name: it is limited in size, and cannot change the direction or layout of the
 * text around it.
 */

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const CONTROLS_BUT_BREAKS = /[^\P{Cc}\n]+/gu;
const LINE_BREAK = /\r\n?|[\p{Zl}\p{Zp}]/gu;
/** Control characters that change the direction of surrounding text. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LONGEST_NAME = 80;
const LONGEST_SUMMARY = 1_000;
const MOST_LINES = 20;

/** On a single line; undefined if nothing is left. */
export function nameText(text: string | undefined): string | undefined {
  return shortened(clean(text).replaceAll(BREAKS, " "), LONGEST_NAME);
}

/** On a few lines; undefined if nothing is left. */
export function summaryText(text: string | undefined): string | undefined {
  const lines = clean(text).replaceAll(LINE_BREAK, "\n").replaceAll(CONTROLS_BUT_BREAKS, " ").trim().split("\n");
  return shortened(lines.slice(0, MOST_LINES).join("\n"), LONGEST_SUMMARY);
}

function clean(text: string | undefined): string {
  return (text ?? "").toWellFormed().replaceAll(DIRECTIONS, "");
}

function shortened(text: string, longest: number): string | undefined {
  const characters = [...text.trim()];
  if (characters.length === 0) return undefined;
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
}
