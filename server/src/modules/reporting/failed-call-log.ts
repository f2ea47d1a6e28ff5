import { newId } from "../../domain/ids.ts";
import type { FailedCall } from "../../kernel/contracts/failed-call.ts";
import { createGroupCommit, type GroupCommit } from "../../platform/batching/group-commit.ts";
import type { Log } from "../../ports/log.ts";
import { FAILED_CALL_PREFIX, type FailedCalls, type StoredFailedCall } from "./failed-calls.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "reporting.failedCallLog": Pick<FailedCallLog, "written">;
  }
}

interface FailedCallLogOptions {
  add: FailedCalls["add"];
  log: Log;
  isTransient(error: unknown): boolean;
  pause(milliseconds: number): Promise<void>;
}

const MAXIMUM_BATCH = 256;
/** The limit for each tenant, in memory: a flood beyond it is not recorded. */
const MOST_WAITING = 500;
const RETRY_MILLISECONDS = 8_000;

/** Stores failed calls in batches, after their answers. */
export class FailedCallLog {
  readonly #log: Log;
  readonly #commit: GroupCommit<StoredFailedCall, true>;
  readonly #waitingByTenant = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ add, log, isTransient, pause }: FailedCallLogOptions) {
    this.#log = log;
    this.#commit = createGroupCommit({
      maximumBatch: MAXIMUM_BATCH,
      retryMilliseconds: RETRY_MILLISECONDS,
      isTransient,
      pause,
      async flush(calls) {
        await add(calls);
        return calls.map(() => true as const);
      },
    });
  }

  record(call: FailedCall): void {
    const waiting = this.#waitingByTenant.get(call.tenantId) ?? 0;
    if (waiting >= MOST_WAITING) return;
    this.#waitingByTenant.set(call.tenantId, waiting + 1);
    this.#last = this.#store({ ...call, id: newId(FAILED_CALL_PREFIX, call.at.epochMilliseconds) });
  }

  /** Resolves when every call recorded so far is stored or given up. */
  async written(): Promise<void> {
    await this.#last;
  }

  async #store(call: StoredFailedCall): Promise<void> {
    try {
      await this.#commit.submit(call);
    } catch (error) {
      this.#log.warn({ err: error, traceId: call.traceId }, "a failed call could not be recorded");
    } finally {
      this.#leave(call.tenantId);
    }
  }

  #leave(tenantId: string): void {
    const waiting = (this.#waitingByTenant.get(tenantId) ?? 1) - 1;
    if (waiting === 0) this.#waitingByTenant.delete(tenantId);
    else this.#waitingByTenant.set(tenantId, waiting);
  }
}
