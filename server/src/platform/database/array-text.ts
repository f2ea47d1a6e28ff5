type Text = string | null;

/** What JSON writes with a letter after a backslash, such as a line break, an array of the database reads as that letter. */
const WRITTEN_OTHERWISE = /\\[^"\\]/;

/**
 * A parameter for a `text[]`: written as JSON, which is the same but for its brackets and costs less than what the driver does. What
 * is not the same is left to the driver.
 */
export function textArray(values: readonly Text[]): string | readonly Text[] {
  const json = JSON.stringify(values);
  return WRITTEN_OTHERWISE.test(json) ? values : `{${json.slice(1, -1)}}`;
}

/** A parameter for an array of numbers. */
export function numberArray(values: readonly (number | bigint | null)[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`;
}
