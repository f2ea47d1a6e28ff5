import type { PostalAddress } from "../../ports/maps.ts";
import { type AddressRule, findAddressRule } from "./address-rules.ts";
import { plainText } from "./plain-text.ts";

type AddressField = "addressLines" | "locality" | "administrativeArea" | "postalCode";

interface AddressProblem {
  field: AddressField;
  problem: "missing" | "invalid_format" | "not_in_area" | "unknown_area" | "wrong_order" | "wrong_field";
  message: string;
}

export interface CheckedAddress {
  problems: readonly AddressProblem[];
  /** The given address in the lines of its country's format. */
  formatted: readonly string[];
  postalCodeExamples: readonly string[];
}

/** The longest text that is matched against a country's postal code expression. */
const LONGEST_CODE = 20;

/**
 * Checks an address against its country's format. `streetLines`: the part of its lines that is the street. Undefined: the
 * country's format is not known.
 */
export function checkAddress(address: PostalAddress, streetLines: readonly string[]): CheckedAddress | undefined {
  const rule = findAddressRule(address.countryCode);
  if (rule === undefined) return undefined;
  const problems = [
    ...missingParts(rule, address, streetLines),
    ...wrongPostalCode(rule, address),
    ...wrongArea(rule, address),
    ...wrongOrder(rule, address, streetLines),
  ];
  return {
    problems,
    formatted: formatAddress(rule, address, streetLines),
    postalCodeExamples: rule.postalCodeExamples ?? [],
  };
}

function isPostalCode(rule: AddressRule, text: string): boolean {
  if (rule.postalCode === undefined || text.length > LONGEST_CODE) return false;
  return new RegExp(`^(?:${rule.postalCode})$`, "i").test(text.trim());
}

function missingParts(
  rule: AddressRule,
  { locality, administrativeArea, postalCode }: PostalAddress,
  streetLines: readonly string[],
) {
  const given: Readonly<Record<string, [AddressField, string | undefined, string]>> = {
    A: ["addressLines", streetLines.join("").trim(), "street and house number"],
    C: ["locality", locality, rule.localityName.replaceAll("_", " ")],
    S: ["administrativeArea", administrativeArea, rule.areaName.replaceAll("_", " ")],
    Z: ["postalCode", postalCode, "postal code"],
  };
  return [...rule.required].flatMap((letter): AddressProblem[] => {
    const [field, value, name] = given[letter] ?? [];
    if (field === undefined || (value !== undefined && value !== "")) return [];
    return [{ field, problem: "missing", message: `Addresses of ${rule.country} need the ${name}` }];
  });
}

function wrongPostalCode(rule: AddressRule, { postalCode }: PostalAddress): AddressProblem[] {
  if (postalCode === undefined) return [];
  const field = "postalCode";
  if (rule.postalCode === undefined) {
    return [{ field, problem: "invalid_format", message: `${rule.country} has no postal codes; leave it out` }];
  }
  if (isPostalCode(rule, postalCode)) return [];
  const examples = (rule.postalCodeExamples ?? []).join(" or ");
  const like = examples === "" ? "" : `; it looks like ${examples}`;
  return [{ field, problem: "invalid_format", message: `This is not a postal code of ${rule.country}${like}` }];
}

function wrongArea(rule: AddressRule, { administrativeArea, postalCode }: PostalAddress): AddressProblem[] {
  if (administrativeArea === undefined || rule.areas.length === 0) return [];
  const wanted = plainText(administrativeArea);
  const name = rule.areaName.replaceAll("_", " ");
  const area = rule.areas.find(({ names }) => names.some((one) => plainText(one) === wanted));
  if (area === undefined) {
    const message = `No ${name} of ${rule.country} has this name; a known one is ${rule.areas[0]?.names.at(-1)}`;
    return [{ field: "administrativeArea", problem: "unknown_area", message }];
  }
  const begins = area.postalCodeBegins;
  if (begins === undefined || postalCode === undefined || !isPostalCode(rule, postalCode)) return [];
  if (new RegExp(`^(?:${begins})`, "i").test(postalCode.trim())) return [];
  const message = `Postal codes of this ${name} begin differently; one of the two is wrong`;
  return [{ field: "postalCode", problem: "not_in_area", message }];
}

function wrongOrder(
  rule: AddressRule,
  { lines, locality, postalCode }: PostalAddress,
  streetLines: readonly string[],
): AddressProblem[] {
  const lastStreet = lines.findLastIndex((line) =>
    streetLines.some((street) => line.includes(street.split(",")[0] ?? street)),
  );
  const problems: AddressProblem[] = [];
  if (locality !== undefined && isPostalCode(rule, locality)) {
    problems.push({
      field: "locality",
      problem: "wrong_field",
      message: "This is a postal code; give it as postalCode",
    });
  }
  const [codeAt, cityAt] = [rule.format.indexOf("%Z"), rule.format.indexOf("%C")];
  for (const [index, line] of lines.entries()) {
    const words = line.trim().split(/\s+/);
    const hasCode = postalCode !== undefined && line.includes(postalCode);
    const hasCity = locality !== undefined && plainText(line).includes(plainText(locality));
    if (hasCode && hasCity && codeAt >= 0 && cityAt >= 0) {
      const isCodeFirst = line.indexOf(postalCode) < plainText(line).indexOf(plainText(locality));
      if (isCodeFirst !== codeAt < cityAt) {
        const order = codeAt < cityAt ? "postal code before the city" : "city before the postal code";
        problems.push({
          field: "addressLines",
          problem: "wrong_order",
          message: `${rule.country} writes the ${order}`,
        });
      }
    }
    const isBare =
      words.length <= 2 && (isPostalCode(rule, line) || (hasCity && plainText(line) === plainText(locality)));
    if (isBare && index < lastStreet && isStreetFirst(rule)) {
      const message = "The street comes before the city and the postal code; give these as locality and postalCode";
      problems.push({ field: "addressLines", problem: "wrong_order", message });
    }
  }
  return problems;
}

const isStreetFirst = (rule: AddressRule): boolean => rule.format.indexOf("%A") < rule.format.indexOf("%C");

/** Missing parts leave neither their line nor a separator. */
function formatAddress(rule: AddressRule, address: PostalAddress, streetLines: readonly string[]): string[] {
  const { locality = "", administrativeArea = "", postalCode = "" } = address;
  // Some formats have no field for a city, such as Japan's, where the street line begins with it.
  const isHomeless = !rule.format.includes("%C") && locality !== "" && !isWritten(rule, locality, administrativeArea);
  const street = isHomeless && !hasPart(streetLines, locality) ? joinCity(streetLines, locality) : streetLines;
  const values: Readonly<Record<string, string>> = {
    A: street.join("\n"),
    C: locality,
    S: administrativeArea,
    Z: postalCode,
  };
  return rule.format
    .replaceAll("%n", "\n")
    .split("\n")
    .map((line) => line.replace(/%([A-Z])/g, (_, letter: string) => values[letter] ?? ""))
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .flatMap((line) => line.split("\n"))
    .map((line) => line.replace(/^[\s,\-–]+|[\s,\-–]+$/g, "").replace(/\s+/g, " "))
    .filter((line) => line !== "");
}

/** Addresses in the country's own script begin with the larger part. */
function joinCity([first = "", ...others]: readonly string[], locality: string): string[] {
  if (!/\p{Script=Han}/u.test(locality)) return [first, ...others, locality];
  return [first.includes(locality) ? first : `${locality}${first}`, ...others];
}

const isWritten = (rule: AddressRule, locality: string, area: string): boolean =>
  plainText(locality) === plainText(area) || plainText(rule.format).includes(plainText(locality));

const hasPart = (lines: readonly string[], part: string): boolean =>
  lines.some((line) => line.split(",").some((one) => plainText(one) === plainText(part)));
