export type WithoutNulls<Row> = {
  [Column in keyof Row]: null extends Row[Column] ? Exclude<Row[Column], null> | undefined : Row[Column];
};

/** A row as it is outside of stores: null columns are undefined. */
export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row>;
export function withoutNulls(row: object): object {
  const present: Record<string, unknown> = { ...row };
  for (const column in present) if (present[column] === null) present[column] = undefined;
  return present;
}
