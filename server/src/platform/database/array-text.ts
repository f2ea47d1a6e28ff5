type Text = string | null;

/** JSON escapes with a letter, such as a line break, which a PostgreSQL array would read as that letter. */
const WRITTEN_OTHERWISE = /\\[^"\\]/;

/**
 * A parameter for a `text[]`: written as JSON, which differs only in its brackets and is cheaper than the driver. Texts that
 * would differ are left to the driver.
 */
export function textArray(values: readonly Text[]): string | readonly Text[] {
  const json = JSON.stringify(values);
  return WRITTEN_OTHERWISE.test(json) ? values : `{${json.slice(1, -1)}}`;
}

/** A parameter for an array of numbers. */
export function numberArray(values: readonly (number | bigint | null)[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`;
}
