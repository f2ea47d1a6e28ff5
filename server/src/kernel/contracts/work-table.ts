/** A table of stored, unfinished work. Metrics and the operator's list show it. */
export interface WorkTable {
  readonly table: string;
  /** The name of its work: one name, or one for each value of a column. */
  readonly kind: string | { readonly column: string; readonly names: Readonly<Record<string, string>> };
  /** The column with the time since which a row waits. */
  readonly since: string;
  /** The condition of open rows, written like that of the index so that the index is used. */
  readonly open: readonly WorkCondition[];
}

export type WorkCondition =
  | { readonly column: string; readonly in: readonly string[] }
  | { readonly column: string; readonly notIn: readonly string[] }
  | { readonly column: string; readonly isNull: true };
