/** Why a process that lives does not serve. */
export type ClosedReason = "starting" | "draining";

export const closedDetail: Readonly<Record<ClosedReason, string>> = {
  starting: "The service is starting. Send again shortly.",
  draining: "The service is stopping. Send again shortly.",
};

/** Where a process is between its start and its end. */
export class HostStatus {
  #closed: ClosedReason | undefined = "starting";
  #isLeaving = false;

  open(): void {
    this.#closed = undefined;
  }

  /** From now on it serves all the same, but whoever chooses among several processes shall choose another one. */
  leave(): void {
    this.#isLeaving = true;
  }

  close(): void {
    this.#closed = "draining";
  }

  /** Undefined while serving; else why not. */
  readonly closedBecause = (): ClosedReason | undefined => this.#closed;

  /** Undefined while new callers are welcome; else why not. */
  readonly unreadyBecause = (): ClosedReason | undefined => this.#closed ?? (this.#isLeaving ? "draining" : undefined);

  readonly isLeaving = (): boolean => this.#isLeaving;
}
