import type { PostalAddress } from "../../ports/maps.ts";
import { type AddressRule, findAddressRule } from "./address-rules.ts";

/**
 * Addresses of East Asia in their own script, from the largest part to the smallest and mostly without spaces:
 * 〒605-0073 京都府京都市東山区祇園町北側625.
 */

interface Country {
  /** Names at the beginning, before the postal code or after it. */
  names: RegExp;
  /** Endings that can follow the name of an area: 서울 and 서울시 are 서울특별시. */
  areaEndings: RegExp;
  /** The city and the district in it; undefined: the format has them in the street's line, as Japan's. */
  city: RegExp | undefined;
}

const COUNTRIES: Readonly<Record<string, Country>> = {
  CN: {
    names: /^(?:中华人民共和国|中國|中国)/u,
    areaEndings: /^(?:省|市|壮族自治区|回族自治区|维吾尔自治区|自治区)?/u,
    city: /^(?:[^\d\s]{1,8}?(?:市|自治州|地区|盟))?(?:[^\d\s]{1,8}?(?:新区|区|县|旗|市(?=[^\d\s]*[路街道镇])))?/u,
  },
  JP: { names: /^(?:日本国|日本)/u, areaEndings: /^/u, city: undefined },
  KR: {
    names: /^(?:대한민국|한국)/u,
    areaEndings: /^(?:특별자치시|특별자치도|특별시|광역시|시|도)?(?=\s|$)/u,
    city: /^\s*(?:[^\d\s]{1,8}?[시군](?=\s))?\s*(?:[^\d\s]{1,8}?구(?=\s))?/u,
  },
  TW: {
    names: /^(?:中華民國|台灣|臺灣|台湾)/u,
    areaEndings: /^/u,
    city: /^[^\d\s]{1,4}?[區鄉鎮市]/u,
  },
};

const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/** Signs that stand before a postal code or around it. */
const AROUND_CODE = /[〒()（）\s,，、]*(?:邮编|邮政编码|郵遞區號|우편번호)?[:：]?/u.source;

/** Characters of full width are read as the usual ones, and 臺 as 台. */
const fold = (text: string): string => text.normalize("NFKC").replaceAll("臺", "台").trim();

/** The country of an address in the script of its country; undefined: it is none, or does not begin with an area. */
export function countryOfUnspaced(lines: readonly string[]): string | undefined {
  return Object.keys(COUNTRIES).find((countryCode) => {
    const text = joinLines(lines, countryCode);
    if (HANGUL.test(text) !== (countryCode === "KR")) return false;
    return readParts(text, countryCode, undefined) !== undefined;
  });
}

/** Undefined: the address is not in the script of one of these countries, or does not begin with one of its areas. */
export function readUnspacedAddress(
  address: PostalAddress,
): { address: PostalAddress; streetLines: readonly string[] } | undefined {
  const { countryCode, lines, locality, administrativeArea, postalCode } = address;
  const read = readParts(joinLines(lines, countryCode), countryCode, postalCode);
  if (read === undefined) return undefined;
  const { area, city, street, code } = read;
  const isOtherArea = administrativeArea !== undefined && fold(administrativeArea) !== area;
  if (isOtherArea) return undefined;
  // A city that the fields name, too, is not repeated.
  const left =
    locality !== undefined && city === undefined && street.startsWith(locality)
      ? street.slice(locality.length)
      : street;
  // The order of the whole lines is the country's own, so it is not checked again.
  const completed = {
    ...address,
    lines: [left],
    administrativeArea: area,
    locality: locality ?? city,
    postalCode: postalCode ?? code,
  };
  return { address: completed, streetLines: left === "" ? [] : [left] };
}

const joinLines = (lines: readonly string[], countryCode: string): string =>
  fold(lines.join(countryCode === "KR" ? " " : ""));

interface Parts {
  area: string;
  city: string | undefined;
  street: string;
  code: string | undefined;
}

function readParts(text: string, countryCode: string, knownCode: string | undefined): Parts | undefined {
  const country = COUNTRIES[countryCode];
  const rule = findAddressRule(countryCode);
  if (country === undefined || rule === undefined || !EAST_ASIAN.test(text)) return undefined;
  const { code, rest } = takeCode(text.replace(country.names, "").trim(), rule, knownCode);
  const place = rest.replace(country.names, "").trim();
  const area = findArea(place, rule, country);
  if (area === undefined) return undefined;
  const city = country.city?.exec(area.rest)?.[0].trim();
  const street = city === undefined ? area.rest : area.rest.trim().slice(city.length);
  return { area: area.name, city: city === "" ? undefined : city, street: street.trim(), code };
}

/** At the beginning, else at the end. */
function takeCode(text: string, { postalCode }: AddressRule, known: string | undefined) {
  for (const pattern of [
    `^${AROUND_CODE}(${postalCode})(?!\\d)[)）\\s,，、]*`,
    `${AROUND_CODE}(?<!\\d)(${postalCode})[)）\\s]*$`,
  ]) {
    const found = new RegExp(pattern, "u").exec(text);
    if (found === null || (known !== undefined && fold(known) !== found[1])) continue;
    return { code: found[1], rest: text.replace(found[0], "").trim() };
  }
  return { code: undefined, rest: text };
}

function findArea(
  text: string,
  { areas }: AddressRule,
  { areaEndings }: Country,
): { name: string; rest: string } | undefined {
  for (const { names } of areas) {
    const [name = ""] = names.filter((one) => EAST_ASIAN.test(one));
    const begins = [...names.filter((one) => EAST_ASIAN.test(one)), name.replace(/(?:省|市|自治区)$/u, "")]
      .filter((one) => one.length > 1)
      .toSorted((one, other) => other.length - one.length)
      .find((one) => text.startsWith(one));
    if (begins === undefined) continue;
    const after = text.slice(begins.length);
    const ending = begins === name ? "" : areaEndings.exec(after)?.[0];
    if (ending !== undefined) return { name, rest: after.slice(ending.length).trim() };
  }
  return undefined;
}
