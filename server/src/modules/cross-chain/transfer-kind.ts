import type { Aggregates } from "./context.ts";
import type { Transfer, TransferChange, TransferStatus } from "./transfers.ts";

/** The next thing that a transfer does. */
export type TransferMove =
  | {
      kind: "move";
      to: TransferStatus;
      change?: TransferChange;
      /** Further changes in the transaction that stores the step, such as the chain transaction that it begins. */
      apply?(aggregates: Aggregates): Promise<void>;
      /** After it is stored: wakes what it has begun. */
      stored?(): void;
    }
  | {
      kind: "wait";
      /** Left out: nothing is wrong, it takes its time. */
      because?: string | undefined;
      /** Left out: until one of its chain transactions ends. */
      milliseconds?: number;
    };

/**
 * A kind of transfer from one chain to another. The machine (`transfer-worker.ts`) leases a transfer, asks what it does next, stores
 * that, and asks again until it waits or has ended. It does so again after a crash, and possibly in two processes at once, of which one
 * can store a step: whatever is done outside before a step is stored is only read, or has the same effect once more.
 *
 * Each chain transaction has an idempotency key of `keyOfStep` and a purpose whose ending is `transferEnding`.
 */
export interface TransferKind {
  /** Stored in rows: never changes. */
  readonly kind: string;
  /** May throw: the transfer then waits and is asked again, ever more rarely. */
  advance(transfer: Transfer): Promise<TransferMove>;
}

export function defineTransferKind(kind: TransferKind): TransferKind {
  return kind;
}
