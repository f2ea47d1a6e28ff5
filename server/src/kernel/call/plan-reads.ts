/**
 * Rows that the plan of a call has read, for its run or probe, which begins moments later. Only for rows of which the run
 * finds out under a lock that they have changed, or for which it makes no difference. Entries are released with their callers.
 */
export class PlanReads<Row> {
  readonly #rows = new WeakMap<object, Map<string, { row: Row }>>();

  /** For the plan of the call that `caller` makes. */
  async read(caller: object, id: string, read: () => Promise<Row>): Promise<Row> {
    const row = await read();
    const rows = this.#rows.get(caller) ?? new Map<string, { row: Row }>();
    this.#rows.set(caller, rows.set(id, { row }));
    return row;
  }

  /** Returns the plan's row and leaves it for the run; reads it where there is none. */
  async peek(caller: object, id: string, read: () => Promise<Row>): Promise<Row> {
    const planned = this.#rows.get(caller)?.get(id);
    return planned === undefined ? await read() : planned.row;
  }

  /** Returns the plan's row once, and reads it where there is none. */
  async take(caller: object, id: string, read: () => Promise<Row>): Promise<Row> {
    const rows = this.#rows.get(caller);
    const planned = rows?.get(id);
    rows?.delete(id);
    return planned === undefined ? await read() : planned.row;
  }
}
