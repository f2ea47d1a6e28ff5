import type { City } from "./city-table.ts";

/** An address of East Asia in one line, largest part first: 東京都千代田区丸の内1-9-1. */
export interface UnspacedAddress {
  city: City;
  /** The text behind the city. */
  rest: string;
}

const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const POSTAL_CODE = /^〒?\s*(?:\d{3}-?\d{4}|\d{5,6})(?!\d)\s*/u;
const COUNTRY = /^(?:日本国?|中华人民共和国|中国|中國|台灣|臺灣|台湾|大韓民國|대한민국|한국)[\s,、，]*/u;
const PROVINCE = /^[\p{Script=Han}\p{Script=Hangul}]{2,7}?(?:省|県|縣|府|道|自治区|특별자치도|도)\s*/u;
const LONGEST_NAME = 8;
/** The kinds of city that a name may end in, where the table has it without. */
const KIND_OF_CITY = /(?:特別市|广域市|市|都|府|特别行政区|특별시|광역시|시)$/u;
const DISTRICT = /^(.{1,7}?(?:新区|区|區|구))/u;

export function readUnspaced(given: string, findCity: (name: string) => City | undefined): UnspacedAddress | undefined {
  const text = given.replace(POSTAL_CODE, "").replace(COUNTRY, "").replace(POSTAL_CODE, "");
  if (!EAST_ASIAN.test(text)) return undefined;
  // 広東省深圳市, but 東京都 and 京都府 are cities themselves.
  const inProvince = text.replace(PROVINCE, "");
  return (inProvince === text ? undefined : cityAtStart(inProvince, findCity)) ?? cityAtStart(text, findCity);
}

function cityAtStart(text: string, findCity: (name: string) => City | undefined): UnspacedAddress | undefined {
  for (let length = Math.min(LONGEST_NAME, text.length); length >= 2; length -= 1) {
    const name = text.slice(0, length).trim();
    const city = findCity(name) ?? (KIND_OF_CITY.test(name) ? findCity(name.replace(KIND_OF_CITY, "")) : undefined);
    if (city === undefined || city.isSection) continue;
    return { city, rest: text.slice(length).trim() };
  }
  return undefined;
}

/** The beginnings of the text that may be a district, with and without the word for one. */
export function districtsAtStart(text: string): string[] {
  const [district] = DISTRICT.exec(text) ?? [];
  return district === undefined ? [] : [district, district.slice(0, -1)];
}
