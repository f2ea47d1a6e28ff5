import type { Fields, ReviewReason } from "../scan.ts";
import type { MrzRead } from "./mrz.ts";
import { distanceFrom } from "./printed-labels.ts";
import { findLongerName, findName, findPlaces, type PrintedName } from "./printed-names.ts";
import { makeReason, printedField } from "./printed-text.ts";
import { closestLabel, findLabelledWords, type VisualZone } from "./visual-zone.ts";

interface Names {
  fields: Fields;
  reasons: readonly ReviewReason[];
}

const SURE = 0.98;
const UNSURE = 0.5;

/**
 * The names of a document. The zone's names have no check digit, so a name counts only where the printed part shows the same
 * one, letter for letter; it is then given as it is printed, with its accents and hyphens, which the zone does not have. A name
 * that the zone alone shows is left out. `reads`: what different readings of the same zone gave; each may find its names.
 */
export function confirmNames(reads: readonly MrzRead[], zone: VisualZone): Names {
  const { family, given } = findNames(
    reads.map(({ values }) => values.familyName),
    reads.map(({ values }) => values.givenName),
    zone,
  );
  const [first] = reads;
  if (first === undefined) return { fields: {}, reasons: [] };
  const { values } = first;
  const fields: Record<string, Fields[string]> = {};
  const reasons: ReviewReason[] = [];
  const isOnePart = reads.every((read) => read.values.givenName === "" || read.values.familyName === "");

  if (isOnePart) return nameOfOnePart(family ?? given, zone);
  if (values.namesAreFull) {
    // The printed name may go on where the zone has no more room: a person has to look at both.
    const longer = given ?? findLongerName(zone.lines, values.givenName).find((place) => canBeName(place, zone));
    if (longer !== undefined) fields.givenName = printedField(longer.value, longer.line, longer.words, UNSURE);
    reasons.push(
      makeReason("name_not_confirmed", "The machine-readable zone has no room for the whole name.", "givenName"),
    );
  } else if (given !== undefined) {
    fields.givenName = printedField(given.value, given.line, given.words, SURE);
  } else {
    reasons.push(notConfirmed("givenName"));
  }
  if (family === undefined) reasons.push(notConfirmed("familyName"));
  else fields.familyName = printedField(family.value, family.line, family.words, SURE);
  return { fields, reasons };
}

function notConfirmed(field: "familyName" | "givenName"): ReviewReason {
  return makeReason(
    "name_not_confirmed",
    "The printed part does not show the name of the machine-readable zone.",
    field,
  );
}

/** Family and given names may stand side by side, so each is looked for with the places of the other in mind. */
function findNames(familyNames: readonly string[], givenNames: readonly string[], zone: VisualZone) {
  const places = (names: readonly string[]) =>
    [...new Set(names)].flatMap((name) => findPlaces(zone.lines, name)).filter((place) => canBeName(place, zone));
  const [familyPlaces, givenPlaces] = [places(familyNames), places(givenNames)];
  const [family] = [...new Set(familyNames)]
    .flatMap((name) => findName(zone.lines, name, givenPlaces))
    .filter((place) => canBeName(place, zone));
  const [given] = [...new Set(givenNames)]
    .flatMap((name) => findName(zone.lines, name, familyPlaces))
    .filter((place) => canBeName(place, zone))
    .filter((place) => family === undefined || place.row !== family.row || place.from !== family.from);
  return { family, given };
}

/** How close another label has to be for a word to belong to it: in its line, or in the next one. */
const CLOSE = 15;

/** A word of a label is no name, nor is what stands beside a label of something else, such as the place of birth. */
function canBeName(place: PrintedName, zone: VisualZone): boolean {
  const { row, from, to } = place;
  if (zone.labels.some((label) => label.row === row && label.from < to && label.to > from)) return false;
  const own = closestLabel(zone.labels, place);
  return own === undefined || own.distance > CLOSE || own.label === "familyName" || own.label === "givenName";
}

/** Some people have one name. Which of the two it is, the label says; without one it is the family name, as in the zone. */
function nameOfOnePart(name: PrintedName | undefined, zone: VisualZone): Names {
  if (name === undefined) return { fields: {}, reasons: [notConfirmed("familyName")] };
  const field = isBesideGivenLabel(name, zone) ? "givenName" : "familyName";
  const other = findLabelledWords(zone, field === "givenName" ? "familyName" : "givenName");
  const isAlone = other === undefined || (other.row === name.row && other.from >= name.from && other.from < name.to);
  return {
    fields: { [field]: printedField(name.value, name.line, name.words, isAlone ? SURE : UNSURE) },
    reasons: isAlone
      ? []
      : [makeReason("name_not_confirmed", "The machine-readable zone shows one name, the printed part may show more.")],
  };
}

function isBesideGivenLabel(name: PrintedName, zone: VisualZone): boolean {
  const closest = (wanted: "familyName" | "givenName") =>
    Math.min(
      ...zone.labels.filter(({ label }) => label === wanted).map((label) => distanceFrom(label, name) ?? Infinity),
      Infinity,
    );
  return closest("givenName") < closest("familyName");
}
