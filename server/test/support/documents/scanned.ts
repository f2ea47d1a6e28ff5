import type { Scan } from "../../../src/modules/documents/scan.ts";

/** The values of a scan, or of one of its lines, taxes or legs, by the names of the fields. */
export const fieldValues = ({ fields }: Pick<Scan, "fields">) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));

export const listReasonCodes = ({ reasons }: Scan) => reasons.map(({ code }) => code);

/** The reasons as `code`, or `code field`. */
export const listReasons = ({ reasons }: Scan) =>
  reasons.map(({ code, field }) => (field === undefined ? code : `${code} ${field}`));
