/** A table with work that is stored and waits to be finished. What it holds is shown in metrics and to the operator. */
export interface WorkTable {
  readonly table: string;
  /** What its work is called there: one name, or one for each value of a column. */
  readonly kind: string | { readonly column: string; readonly names: Readonly<Record<string, string>> };
  /** The column that says since when a row waits. */
  readonly since: string;
  /** Which rows are open: those that fit all of it. Written like the condition of an index, so that it is used. */
  readonly open: readonly WorkCondition[];
}

export type WorkCondition =
  | { readonly column: string; readonly in: readonly string[] }
  | { readonly column: string; readonly notIn: readonly string[] }
  | { readonly column: string; readonly isNull: true };
