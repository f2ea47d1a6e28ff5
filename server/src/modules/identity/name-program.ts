import { toVisibleText } from "../../domain/visible-text.ts";

const LONGEST = 60;
/** In this order: a browser also names those that it is like. */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** "Firefox on Linux", or "curl/8.5.0", for what a program says of itself. Null: nothing. */
export function nameProgram(userAgent: string | undefined): string | null {
  if (userAgent === undefined || userAgent.trim() === "") return null;
  const find = (words: readonly (readonly [mark: string, name: string])[]) =>
    words.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = userAgent.startsWith("Mozilla/") ? find(BROWSERS) : undefined;
  if (browser === undefined) return toVisibleText(userAgent.trim().split(/\s/, 1)[0] ?? "", LONGEST) || null;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
