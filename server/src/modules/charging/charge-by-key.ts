import { databaseAway, Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type {
  Charge,
  GateReservations,
  Outcome,
  PendingCall,
  Replay,
  Reservation,
  Settled,
} from "../../kernel/contracts/charge.ts";
import type { Gate } from "../../kernel/contracts/gate.ts";
import { createGroupCommit, type GroupCommit } from "../../platform/batching/group-commit.ts";
import { retryUntilStored } from "../../platform/batching/retry-until-stored.ts";
import { UnfinishedWork } from "../../platform/batching/unfinished-work.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Calls, HeldClaim, Settlement } from "./calls.ts";
import { buildChargeLine } from "./charge-line.ts";
import { claimKey, hashKeyedRequest, keepForKey, lookAtKey, takenForDead } from "./claim-key.ts";
import type { Stores } from "./context.ts";
import { SpendCap } from "./spend-cap.ts";
import { failureText, readOutcome, successText } from "./stored-outcome.ts";

export interface ChargeByKeyOptions {
  calls: Calls;
  /** For reservations that gates make together with the call's. */
  stores: Pick<Stores, "transaction">;
  processId: string;
  clock: Clock;
  random?: RandomBytes;
  isTransient(error: unknown): boolean;
  pause(milliseconds: number): Promise<void>;
  /** How long a charge waits for an unavailable database before the call fails as `unavailable`. */
  retryMilliseconds: number;
  /** Reports a settlement that failed for good after its caller was gone. */
  onLooseEnd(error: unknown): void;
}

const LOOSE_END_PAUSE_MILLISECONDS = 500;
const MAXIMUM_BATCH = 512;

/** Charges the tenant: under the monthly cap, with a usage record that is durable before the answer is sent. */
export class ChargeByKey implements Charge {
  readonly paidBy = "tenant";
  /** The monthly cap: the kernel's first gate. */
  readonly gate: Gate;
  readonly #options: ChargeByKeyOptions;
  readonly #cap: SpendCap;
  readonly #settlements: GroupCommit<Settlement, string | null>;
  readonly #unfinished: UnfinishedWork;
  /** Reads whose idempotency key was charged before. Entries are released with their calls. */
  readonly #paidReads = new WeakMap<PendingCall, { usageId: string | null; price: bigint }>();

  constructor(options: ChargeByKeyOptions) {
    const { calls, processId, isTransient, pause, retryMilliseconds } = options;
    const group = { maximumBatch: MAXIMUM_BATCH, isTransient, pause, retryMilliseconds };
    this.#options = options;
    this.#cap = new SpendCap({ ...group, calls, processId });
    this.gate = this.#cap.gate;
    // A call's outcome is written however long the database is away; only the caller stops waiting.
    this.#settlements = createGroupCommit({ ...group, flush: (lines) => calls.settle(lines), neverGiveUp: true });
    this.#unfinished = new UnfinishedWork((error) => options.onLooseEnd(error));
  }

  async recall(call: PendingCall): Promise<Replay | undefined> {
    const { idempotencyKey } = call;
    if (idempotencyKey === undefined || call.tool.effect === "read") return undefined;
    const done = await this.#orUnavailable(lookAtKey(this.#options.calls, call, idempotencyKey));
    return done === undefined ? undefined : this.#toReplay(call, idempotencyKey, done);
  }

  reserve(call: PendingCall, alsoReserve?: GateReservations): Promise<Reservation> | Reservation {
    const { tool, idempotencyKey } = call;
    if (tool.effect !== "read") return this.#orAbandon(call, this.#reserve(call, alsoReserve));
    if (idempotencyKey === undefined) return { kind: "run" };
    return this.#orAbandon(call, this.#prepareKeyedRead(call, idempotencyKey));
  }

  capture(call: PendingCall, result: unknown, latencyMs: number, firstCallId?: string): Promise<Settled> {
    if (call.tool.effect === "read") return this.#captureRead(call, latencyMs);
    return this.#captureReserved(call, result, latencyMs, firstCallId);
  }

  async #captureReserved(
    call: PendingCall,
    result: unknown,
    latencyMs: number,
    firstCallId: string | undefined,
  ): Promise<Settled> {
    const first = firstCallId === undefined ? undefined : await this.#takeOver(call, firstCallId);
    const paidBefore = first?.paid === true ? first : undefined;
    const keyed = call.idempotencyKey !== undefined;
    const usageId = paidBefore === undefined ? this.#newUsageId(call) : null;
    const settling = this.#settlements.submit({
      callId: call.id,
      usageId,
      latencyMs,
      at: this.#options.clock.now(),
      idempotency: keyed ? "store" : "none",
      outcomeText: keyed ? successText(result) : null,
      ...(paidBefore === undefined ? {} : { paidBefore }),
    });
    const paidUnder = await this.#orUnavailable(settling);
    if (paidBefore !== undefined) {
      return { usageId: paidBefore.usageId ?? undefined, price: paidBefore.price, replayed: true };
    }
    // Null: another call has the key by now and pays.
    const price = paidUnder === null ? 0n : call.price;
    return { usageId: paidUnder ?? undefined, price, replayed: firstCallId !== undefined || paidUnder === null };
  }

  async release(call: PendingCall, outcome: Outcome & { ok: false }, final: boolean): Promise<void> {
    const keyed = call.idempotencyKey !== undefined;
    if (call.tool.effect === "read") {
      const holdsKey = keyed && call.isKeyNew !== true && !this.#paidReads.has(call);
      if (holdsKey) await this.#orAbandon(call, this.#closeClaim(call));
      return;
    }
    const store = final && keyed;
    const settling = this.#settlements.submit({
      callId: call.id,
      usageId: null,
      latencyMs: 0,
      at: this.#options.clock.now(),
      idempotency: keyed ? (store ? "store" : "forget") : "none",
      outcomeText: store ? failureText(outcome) : null,
    });
    await this.#orUnavailable(settling);
  }

  /** Resolves when nothing is left to store, or after a time limit. */
  async idle(): Promise<void> {
    const { pause, retryMilliseconds } = this.#options;
    await Promise.race([
      Promise.all([this.#cap.idle(), this.#settlements.idle(), this.#unfinished.ended()]),
      pause(retryMilliseconds),
    ]);
  }

  /** A new key is taken by the charge that follows the read. */
  async #prepareKeyedRead(call: PendingCall, key: string): Promise<Reservation> {
    if (call.isKeyNew === true) await this.#cap.requireRoom(call);
    else await this.#claim(call, key);
    return { kind: "run" };
  }

  async #reserve(call: PendingCall, alsoReserve: GateReservations | undefined): Promise<Reservation> {
    const { idempotencyKey } = call;
    if (await this.#cover(call, alsoReserve)) return { kind: "run" };
    if (idempotencyKey !== undefined) {
      // Another call has the key, or the cap or the rules refuse this one.
      const replay = await this.#claim(call, idempotencyKey);
      if (replay !== undefined) return replay;
      if (await this.#cover(call, alsoReserve)) return { kind: "run" };
      if (!(await this.#closeClaim(call))) throw takenForDead();
    }
    if (typeof call.rulesVersion === "number") return { kind: "rules_changed" };
    throw this.#cap.refuse(call);
  }

  /** Undefined: this call now holds the key. */
  async #claim(call: PendingCall, key: string): Promise<Reservation | undefined> {
    const { calls, processId } = this.#options;
    const held = await this.#orUnavailable(claimKey(calls, call, { key, processId }));
    if (held.kind === "claimed") return await this.#requireRoom(call);
    const { usageId, price } = held;
    // A read runs again and was paid for: `capture` finds its record by the key.
    if (call.tool.effect === "read") {
      this.#paidReads.set(call, { usageId, price });
      return undefined;
    }
    return this.#toReplay(call, key, held);
  }

  #toReplay(call: PendingCall, key: string, { outcomeText, usageId, price }: DoneClaim): Replay {
    const keep = async (whole: unknown): Promise<unknown> => {
      const lines = { stored: outcomeText ?? "", outcomeText: successText(whole) };
      const kept = readOutcome((await keepForKey(this.#options.calls, call, key, lines)) ?? lines.outcomeText);
      return kept.ok ? kept.result : whole;
    };
    const receipt = { usageId: usageId ?? undefined, price };
    return { kind: "replay", outcome: readOutcome(outcomeText), receipt, keep };
  }

  /** Checks a read that is charged for the first time; on refusal its key is released. */
  async #requireRoom(call: PendingCall): Promise<undefined> {
    if (call.tool.effect !== "read") return;
    try {
      await this.#cap.requireRoom(call);
    } catch (error) {
      if (isRefusal(error)) await this.#closeClaim(call);
      throw error;
    }
  }

  /**
   * Reserves durably for a write or a spend, with the reservations of gates, and takes its key. False: it exceeds the cap,
   * was judged by outdated rules, or another call has the key.
   */
  async #cover(call: PendingCall, alsoReserve: GateReservations | undefined): Promise<boolean> {
    const line = buildChargeLine(call, { id: call.id, latencyMs: 0, requestHash: hashKeyedRequest(call) });
    if (alsoReserve === undefined) return await this.#orUnavailable(this.#cap.reserve(line));
    const { stores, processId } = this.#options;
    const covering = stores.transaction(async (transaction) => {
      if (!(await transaction.callReservations.reserve(line, processId))) return false;
      await alsoReserve(transaction);
      return true;
    });
    try {
      return await this.#orUnavailable(covering);
    } catch (error) {
      if (isRefusal(error) && call.idempotencyKey !== undefined) await this.#closeClaim(call);
      throw error;
    }
  }

  async #captureRead(call: PendingCall, latencyMs: number): Promise<Settled> {
    const usageId = this.#newUsageId(call);
    if (call.isKeyNew === true && call.idempotencyKey !== undefined) {
      const line = buildChargeLine(call, { id: usageId, latencyMs, requestHash: hashKeyedRequest(call) });
      const charging = this.#orUnavailable(this.#cap.charge(line));
      if (await this.#orAbandon(call, charging)) return { usageId, price: call.price, replayed: false };
      // Another call has the key, or the cap refuses this one.
      await this.#orAbandon(call, this.#claim(call, call.idempotencyKey));
    }
    const paid = this.#paidReads.get(call);
    if (paid !== undefined) return { usageId: paid.usageId ?? undefined, price: paid.price, replayed: true };
    const charging = this.#cap.charge(buildChargeLine(call, { id: usageId, latencyMs, requestHash: null }));
    if (call.idempotencyKey !== undefined) await this.#orAbandon(call, this.#chargeKeyed(call, charging));
    else if (!(await this.#orUnavailable(charging))) throw this.#cap.refuse(call);
    return { usageId, price: call.price, replayed: false };
  }

  async #chargeKeyed(call: PendingCall, charging: Promise<boolean>): Promise<void> {
    if (await this.#orUnavailable(charging)) return;
    throw (await this.#closeClaim(call)) ? this.#cap.refuse(call) : takenForDead();
  }

  #takeOver(call: PendingCall, firstCallId: string) {
    return this.#orAbandon(call, this.#orUnavailable(this.#options.calls.takeOver(firstCallId)));
  }

  /** False: the call's key had ended before. */
  #closeClaim({ id }: PendingCall): Promise<boolean> {
    return this.#orUnavailable(this.#options.calls.closeClaim(id));
  }

  #newUsageId({ startedAt }: PendingCall): string {
    return newId("use_", startedAt.epochMilliseconds, this.#options.random ?? systemRandom);
  }

  async #orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (!this.#options.isTransient(error)) throw error;
      throw databaseAway(error);
    }
  }

  /** If the database is away, no claim or reservation is left behind. */
  async #orAbandon<Result>(call: PendingCall, work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (!isRefusal(error)) this.#abandon(call);
      throw error;
    }
  }

  /** Undoes a claim and a reservation with an unknown outcome. */
  #abandon({ id }: PendingCall): void {
    const { calls, clock, isTransient, pause, onLooseEnd } = this.#options;
    const undo = { usageId: null, latencyMs: 0, at: clock.now(), idempotency: "none", outcomeText: null } as const;
    const released = this.#settlements.submit({ callId: id, ...undo }).catch((error: unknown) => {
      // The waiter was told that it takes longer; the release is retried until it is written.
      if (!isTransient(error)) onLooseEnd(error);
    });
    const patience = { isTransient, pause, pauseMilliseconds: LOOSE_END_PAUSE_MILLISECONDS };
    this.#unfinished.track(released.then(() => retryUntilStored(patience, () => calls.closeClaim(id))));
  }
}

type DoneClaim = Extract<HeldClaim, { kind: "done" }>;

/** Errors that certainly took nothing; after others, a claim or a reservation may be left. */
function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.code !== "unavailable";
}
