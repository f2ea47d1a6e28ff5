import type { Placement } from "../reading/straighten.ts";
import type { Fields, Scan, ScannedField } from "../scan.ts";

/** The scan with the boxes of its fields on the pages as they were given, rather than on straightened ones. */
export function placeScan(scan: Scan, placements: ReadonlyMap<number, Placement>): Scan {
  const placeField = (field: ScannedField): ScannedField => {
    const { page, box } = field.from;
    if (page === null || box === null) return field;
    return { ...field, from: { ...field.from, box: placements.get(page)?.toGiven(box) ?? box } };
  };
  const place = (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, placeField(field)]));
  const placeAll = (all: readonly Fields[] | undefined) => all?.map(place);
  const [lines, taxes, legs] = [placeAll(scan.lines), placeAll(scan.taxes), placeAll(scan.legs)];
  return {
    ...scan,
    fields: place(scan.fields),
    ...(lines === undefined ? {} : { lines }),
    ...(taxes === undefined ? {} : { taxes }),
    ...(legs === undefined ? {} : { legs }),
  };
}
