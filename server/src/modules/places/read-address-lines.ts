import { countryAlpha3Codes, toCountryAlpha2 } from "../../domain/countries.ts";
import type { PostalAddress } from "../../ports/maps.ts";
import { type AddressRule, findAddressRule } from "./address-rules.ts";
import { plainText } from "./plain-text.ts";
import { readUnspacedAddress } from "./read-unspaced-address.ts";

interface ReadAddress {
  /** The lines are unchanged; the other fields are completed from them. */
  address: PostalAddress;
  /** The lines without those parts. */
  streetLines: readonly string[];
}

/** Longer lines are not searched for parts. */
const LONGEST_PART = 200;

/** A part between commas, with its line. */
interface Segment {
  line: number;
  text: string;
}

export function splitSegments(lines: readonly string[]): Segment[] {
  return lines.flatMap((text, line) =>
    text
      .split(/[,;،、，]/u)
      .map((part) => ({ line, text: part.trim() }))
      .filter((part) => part.text !== ""),
  );
}

/** The country at the end of the lines. */
export function countryInLines(lines: readonly string[]): string | undefined {
  const segments = splitSegments(lines);
  return segments.length < 2 ? undefined : findCountryCode(segments.at(-1)?.text ?? "");
}

type Parts = Pick<PostalAddress, "locality" | "administrativeArea" | "postalCode">;

/**
 * Removes country, postal code, state and city from the end of the lines, whether or not a field repeats them. The street is
 * everything up to the last part that is none of these.
 */
export function readAddressLines(address: PostalAddress): ReadAddress {
  const unspaced = readUnspacedAddress(address);
  if (unspaced !== undefined) return unspaced;
  const rule = findAddressRule(address.countryCode);
  const segments = splitSegments(address.lines.map((line) => line.slice(0, LONGEST_PART)));
  if (rule === undefined) return { address, streetLines: address.lines };
  const { locality, administrativeArea, postalCode } = address;
  let parts: Parts = { locality, administrativeArea, postalCode };
  let kept = segments;
  for (let last = kept.at(-1); last !== undefined && kept.length > 1; last = kept.at(-1)) {
    const isCountry = kept.length === segments.length && findCountryCode(last.text) === address.countryCode;
    const read = isCountry ? parts : readPart(rule, last.text, parts, kept.length < segments.length);
    if (read === undefined) break;
    parts = read;
    kept = kept.slice(0, -1);
  }
  return { address: { ...address, ...parts }, streetLines: withoutCity(joinLines(kept), parts) };
}

/** Undefined: it is something else. `isBeside`: the part after it belongs to the place, not to the street. */
function readPart(rule: AddressRule, text: string, known: Parts, isBeside: boolean): Parts | undefined {
  const code = codeAtEdge(rule, text, known.postalCode);
  const afterCode = code === undefined ? text : code.rest;
  const area = areaAtEnd(rule, afterCode, known.administrativeArea);
  const rest = area === undefined ? afterCode : area.rest;
  const read = {
    ...known,
    ...(code === undefined ? {} : { postalCode: known.postalCode ?? code.found }),
    ...(area === undefined ? {} : { administrativeArea: known.administrativeArea ?? area.found }),
  };
  if (!/[\p{L}\p{N}]/u.test(rest)) return code === undefined && area === undefined ? undefined : read;
  if (known.locality !== undefined) return plainText(rest) === plainText(known.locality) ? read : undefined;
  const isCity = rule.format.includes("%C") && !/\p{N}/u.test(rest) && (isBeside || rest !== text);
  return isCity ? { ...read, locality: trimmed(rest) } : undefined;
}

const trimmed = (text: string): string => text.replace(/^[\s\-–]+|[\s\-–]+$/gu, "");

/** The postal code at the beginning or the end; if there are several, the known one. */
function codeAtEdge(rule: AddressRule, text: string, known: string | undefined) {
  if (rule.postalCode === undefined) return undefined;
  const pattern = `(?:${rule.postalCode})`;
  for (const edge of [
    new RegExp(`^${pattern}(?![\\p{L}\\p{N}])`, "iu"),
    new RegExp(`(?<![\\p{L}\\p{N}])${pattern}$`, "iu"),
  ]) {
    const found = edge.exec(text)?.[0];
    if (found === undefined || (known !== undefined && plainText(known) !== plainText(found))) continue;
    return { found, rest: trimmed(text.replace(edge, " ")) };
  }
  return undefined;
}

/**
 * A state or province at the end, by its name or code. A name that is also a city counts as the city, unless a city is known.
 */
function areaAtEnd(rule: AddressRule, text: string, known: string | undefined) {
  if (!rule.format.includes("%S")) return undefined;
  const words = text.split(/[\s\-–]+/u);
  for (let from = 0; from < words.length; from += 1) {
    const found = words.slice(from).join(" ");
    const area = rule.areas.find(({ names }) => names.some((name) => plainText(name) === plainText(found)));
    if (area === undefined) continue;
    const isOther = known !== undefined && !area.names.some((name) => plainText(name) === plainText(known));
    // "New York, NY": only the code is the state.
    const isCityRather = rule.format.includes("%C") && from === 0 && found.length > 3;
    if (isOther || isCityRather) return undefined;
    return { found, rest: trimmed(words.slice(0, from).join(" ")) };
  }
  return undefined;
}

function joinLines(segments: readonly Segment[]): string[] {
  const numbers = [...new Set(segments.map(({ line }) => line))];
  return numbers.map((number) =>
    segments
      .filter(({ line }) => line === number)
      .map(({ text }) => text)
      .join(", "),
  );
}

/** Drops lines that are only the city or the postal code. */
function withoutCity(lines: readonly string[], { locality, postalCode }: Parts): readonly string[] {
  const isPlace = (line: string) =>
    [locality, postalCode].some((part) => part !== undefined && plainText(part) === plainText(line));
  const left = lines.filter((line) => !isPlace(line));
  return left.length === 0 ? lines : left;
}

/** Names common on envelopes that `Intl` lacks. */
const OTHER_NAMES: readonly (readonly [name: string, code: string])[] = [
  ["UK", "GB"],
  ["England", "GB"],
  ["Scotland", "GB"],
  ["Wales", "GB"],
  ["Great Britain", "GB"],
  ["United States of America", "US"],
  ["Czech Republic", "CZ"],
  ["Holland", "NL"],
];

let codes: ReadonlyMap<string, string> | undefined;

/** Returns the ISO 3166-1 alpha-2 code of a country from its code, English name or own-language name. */
function findCountryCode(name: string): string | undefined {
  codes ??= readNames();
  return codes.get(plainText(name));
}

function readNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const english = new Intl.DisplayNames("en", { type: "region" });
  for (const alpha3 of countryAlpha3Codes) {
    const code = toCountryAlpha2(alpha3);
    if (code === undefined) continue;
    const own = new Intl.DisplayNames(new Intl.Locale(`und-${code}`).maximize().language, { type: "region" });
    for (const name of [alpha3, english.of(code), own.of(code)])
      if (name !== undefined) names.set(plainText(name), code);
  }
  for (const [name, code] of OTHER_NAMES) names.set(plainText(name), code);
  return names;
}
