import type { Fields, ReviewReason, ScannedField } from "../../scan.ts";
import { distanceFrom } from "../printed-labels.ts";
import { findLongerName, findName, findPlaces, type PrintedName } from "../printed-names.ts";
import { makeField, makeReason, printedField } from "../printed-text.ts";
import type { MrzRead } from "./mrz.ts";
import { closestLabel, findLabelledWords, type VisualZone } from "./visual-zone.ts";
import { listZoneNames } from "./zone-names.ts";

interface Names {
  fields: Fields;
  reasons: readonly ReviewReason[];
}

const SURE = 0.98;
const UNSURE = 0.5;
const MOST_VARIANTS = 40;

/**
 * Reads the names of a document. Those of the machine-readable zone have no check digit, so a name counts only if the
 * print shows the same and no more. It is returned in the zone's spelling, in letters from A to Z as airlines write it,
 * because text recognition loses accents undetectably. A name in the zone alone is left out. `reads` are different
 * readings of the same zone; each may find its names.
 */
export function confirmNames(reads: readonly MrzRead[], zone: VisualZone): Names {
  const [first] = reads;
  if (first === undefined) return { fields: {}, reasons: [] };
  const variants = reads.flatMap(({ values }) => listZoneNames(values.names)).slice(0, MOST_VARIANTS);
  const [asRead] = variants;
  const whole = variants.filter(({ areFull }) => !areFull);
  const families = [...new Set(variants.map(({ familyName }) => familyName))];
  const givens = [...new Set((whole.length > 0 ? whole : variants).map(({ givenName }) => givenName))];
  const { family, given } = findNames(
    families,
    givens,
    zone,
    reads.every(({ isRefitted }) => isRefitted),
  );
  const ofOnePart = variants.filter(({ familyName, givenName }) => givenName === "" || familyName === "");
  const isOnePart = ofOnePart.some(({ familyName }) => family === undefined || familyName === family.zone);
  if (ofOnePart.length === variants.length || (isOnePart && given === undefined && family !== undefined)) {
    return nameOfOnePart(family ?? given, first, zone);
  }

  const fields: Record<string, ScannedField> = {};
  const reasons: ReviewReason[] = [];
  if (family === undefined) reasons.push(notConfirmed("familyName"));
  else fields.familyName = zoneName(family, first);
  if (whole.length === 0) {
    // The printed name may continue where the zone is full: a person must compare them.
    const longer = findLongerName(zone.lines, asRead?.givenName ?? "").find((place) => canBeName(place, zone));
    if (longer !== undefined) fields.givenName = printedField(longer.value, longer.line, longer.words, UNSURE);
    const message = "The machine-readable zone has no room for the whole name.";
    reasons.push(makeReason("name_not_confirmed", message, "givenName"));
    // If the print does not show the family name, its words may be part of that name.
  } else if (given === undefined || family === undefined) reasons.push(notConfirmed("givenName"));
  else fields.givenName = zoneName(given, first);
  return { fields, reasons };
}

function zoneName({ zone }: PrintedName, { from }: MrzRead): ScannedField {
  return makeField(zone.replaceAll("<", " "), SURE, { source: "mrz", page: from.page, box: from.box });
}

function notConfirmed(field: "familyName" | "givenName"): ReviewReason {
  return makeReason(
    "name_not_confirmed",
    "Only the machine-readable zone shows this name, or another one. Compare it with the printed name and send that yourself.",
    field,
  );
}

/** Family and given names may be adjacent, so each search considers the places of the other. */
function findNames(familyNames: readonly string[], givenNames: readonly string[], zone: VisualZone, isStrict: boolean) {
  const places = (names: readonly string[]) =>
    names.flatMap((name) => findPlaces(zone.lines, name, isStrict)).filter((place) => canBeName(place, zone));
  const [familyPlaces, givenPlaces] = [places(familyNames), places(givenNames)];
  const [family] = familyNames
    .flatMap((name) => findName(zone.lines, name, isStrict, givenPlaces))
    .filter((place) => canBeName(place, zone));
  const [given] = givenNames
    .flatMap((name) => findName(zone.lines, name, isStrict, familyPlaces))
    .filter((place) => canBeName(place, zone))
    .filter((place) => family === undefined || place.row !== family.row || place.from !== family.from);
  return { family, given };
}

/** A word belongs to another label within this distance, in its line or the next one. */
const CLOSE = 15;

/** A word of a label is no name, nor is a word beside another label, such as the place of birth. */
function canBeName(place: PrintedName, zone: VisualZone): boolean {
  const { row, from, to } = place;
  if (zone.labels.some((label) => label.row === row && label.from < to && label.to > from)) return false;
  const own = closestLabel(zone.labels, place);
  return own === undefined || own.distance > CLOSE || own.label === "familyName" || own.label === "givenName";
}

/** Some people have one name. Its label tells which of the two it is; without one it is the family name, as in the zone. */
function nameOfOnePart(name: PrintedName | undefined, read: MrzRead, zone: VisualZone): Names {
  if (name === undefined) return { fields: {}, reasons: [notConfirmed("familyName")] };
  const field = isBesideGivenLabel(name, zone) ? "givenName" : "familyName";
  const other = findLabelledWords(zone, field === "givenName" ? "familyName" : "givenName");
  const isAlone = other === undefined || (other.row === name.row && other.from >= name.from && other.from < name.to);
  return {
    fields: { [field]: zoneName(name, read) },
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
