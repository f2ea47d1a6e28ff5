import { Failure } from "../../domain/errors.ts";
import { inTrace } from "../../domain/trace.ts";
import { defineJob, type Job } from "../../kernel/contracts/job.ts";
import { backOff } from "../../platform/leased-queue/back-off.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Aggregates, Stores } from "./context.ts";
import { LostTransfer } from "./store.ts";
import type { TransferKind, TransferMove } from "./transfer-kind.ts";
import { hasEnded, type Transfer } from "./transfers.ts";

interface TransferWorkerOptions {
  stores: Stores;
  clock: Clock;
  log: Log;
}

/** The number of transfers of a kind on which a process works at once. Each waits for others most of the time. */
const AT_ONCE = 64;
const AFTER_ERROR = { firstMilliseconds: 250, longestMilliseconds: 60_000 };
/** A longer wait is found by the watch over all queues. */
const LONGEST_TIMER_MILLISECONDS = 10_000;

const REASONS: Readonly<Record<string, string>> = {
  chain_not_available: "A chain of this transfer is not answering. The transfer continues when it does.",
  chain_unavailable: "A chain of this transfer is not answering. The transfer continues when it does.",
  unavailable: "The attestation service gave no clear answer. It will be asked again.",
};

/** Brings the transfers of one kind to their ends. Safe in several processes at once and after a crash between any two steps. */
export class TransferWorker {
  readonly #kind: TransferKind;
  readonly #options: TransferWorkerOptions;
  readonly #executing = new Map<string, Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #leasing: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;

  constructor(kind: TransferKind, options: TransferWorkerOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  /** The job that finds due transfers. */
  get job(): Job {
    const { kind } = this.#kind;
    return defineJob({
      name: `transfers ${kind}`,
      queue: {
        name: `transfer_${kind}`,
        earliest: `select min(next_at) from cross_chain_transfer where kind = '${kind}' and next_at is not null`,
      },
      run: async () => this.wake(),
    });
  }

  wake(): void {
    if (this.#isStopped) return;
    if (this.#leasing !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#leasing = inTrace(undefined, () => this.#lease())
      .catch((err: unknown) => this.#options.log.warn({ err }, "transfers could not be leased"))
      .then(() => {
        this.#leasing = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.wake();
      });
  }

  /** Lets current steps end, and takes no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#leasing;
    await Promise.all(this.#executing.values());
  }

  async #lease(): Promise<void> {
    const room = AT_ONCE - this.#executing.size;
    if (room <= 0) return;
    for (const transfer of await this.#options.stores.transfers.take(this.#kind.kind, room)) {
      const key = `${transfer.id} ${transfer.version}`;
      const { traceId, tenantId, environment } = transfer;
      const executing = inTrace(traceId, () => this.#execute(transfer), { tenantId, environment }).finally(() => {
        this.#executing.delete(key);
        if (this.#executing.size === AT_ONCE - 1) this.wake();
      });
      this.#executing.set(key, executing);
    }
  }

  async #execute(leased: Transfer): Promise<void> {
    const { log } = this.#options;
    try {
      let transfer = leased;
      while (!this.#isStopped) {
        const move = await this.#decide(transfer);
        if (move.kind === "wait") return await this.#leave(transfer, move);
        transfer = await this.#store(transfer, move);
        log.info({ transferId: transfer.id, status: transfer.status }, "a transfer over chains has taken a step");
        move.stored?.();
        if (hasEnded(transfer)) return;
      }
      // For another process, which would wait for the end of the lease.
      await this.#leave(transfer, { kind: "wait", because: transfer.waiting ?? undefined, milliseconds: 0 });
    } catch (err) {
      if (err instanceof LostTransfer) return;
      // Its lease ends by itself.
      log.warn({ err, transferId: leased.id }, "a step of a transfer could not be stored");
    }
  }

  async #decide(transfer: Transfer): Promise<TransferMove> {
    try {
      return await this.#kind.advance(transfer);
    } catch (err) {
      const code = err instanceof Failure ? err.code : "internal_error";
      const known = REASONS[code];
      const fields = { err, transferId: transfer.id, status: transfer.status };
      if (known === undefined || code === "unavailable") {
        this.#options.log.error(fields, "a transfer over chains does not get on");
      } else this.#options.log.warn(fields, "a transfer over chains waits");
      const because =
        known ?? "The service cannot take the next step. The operator's log says why; the step will be retried.";
      return { kind: "wait", because, milliseconds: backOff(transfer.attempts + 1, AFTER_ERROR) };
    }
  }

  async #store(transfer: Transfer, { to, change = {}, apply }: TransferMove & { kind: "move" }): Promise<Transfer> {
    const { stores } = this.#options;
    const isOver = hasEnded({ status: to });
    if (apply === undefined && !isOver) return await stores.transfers.move(transfer, to, change);
    return await stores.transaction(async (aggregates) => {
      const moved = await aggregates.transfers.move(transfer, to, change);
      await apply?.(aggregates);
      if (isOver) await raiseEnd(aggregates, moved);
      return moved;
    });
  }

  async #leave(transfer: Transfer, { because, milliseconds }: TransferMove & { kind: "wait" }): Promise<void> {
    const { stores, clock } = this.#options;
    const until = milliseconds === undefined ? undefined : clock.now().add({ milliseconds: Math.round(milliseconds) });
    const left = await stores.transfers.leave(transfer, { waiting: because ?? null, until });
    if (left?.isWoken === true) this.wake();
    else if (left !== undefined && milliseconds !== undefined) this.#wakeLater(milliseconds);
  }

  #wakeLater(milliseconds: number): void {
    if (this.#isStopped || milliseconds > LONGEST_TIMER_MILLISECONDS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, milliseconds);
    timer.unref();
    this.#timers.add(timer);
  }
}

/** For runs of workflows that wait for it. */
async function raiseEnd({ runEvents }: Aggregates, { tenantId, environment, id, status }: Transfer): Promise<void> {
  await runEvents.raise({ tenantId, environment, name: "transfer_ended", subject: id, resolution: { status } });
}
