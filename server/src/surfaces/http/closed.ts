/** Why a live process does not serve. */
export type ClosedReason = "starting" | "draining";

export const closedDetail: Readonly<Record<ClosedReason, string>> = {
  starting: "The service is starting. Send again shortly.",
  draining: "The service is stopping. Send again shortly.",
};

/** The state of a process between its start and its end. */
export class HostStatus {
  #closed: ClosedReason | undefined = "starting";
  #isLeaving = false;

  open(): void {
    this.#closed = undefined;
  }

  /** Keeps serving, but asks load balancers to choose another process. */
  leave(): void {
    this.#isLeaving = true;
  }

  close(): void {
    this.#closed = "draining";
  }

  /** Undefined while serving; otherwise the reason. */
  readonly closedBecause = (): ClosedReason | undefined => this.#closed;

  /** Undefined while new callers are welcome; otherwise the reason. */
  readonly unreadyBecause = (): ClosedReason | undefined => this.#closed ?? (this.#isLeaving ? "draining" : undefined);

  readonly isLeaving = (): boolean => this.#isLeaving;
}
