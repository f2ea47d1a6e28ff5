import { createHash } from "node:crypto";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { databaseAway, Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes, systemRandom } from "../../domain/ids.ts";
import type { Charge, Outcome, PendingCall, Reservation } from "../../kernel/charge.ts";
import { createGroupCommit, type GroupCommitOptions } from "../../platform/batching/group-commit.ts";
import { type Clock, instantText } from "../../ports/clock.ts";
import type { Calls, ChargeLine, Settlement } from "./calls.ts";

export interface ChargeByKeyOptions {
  calls: Calls;
  processId: string;
  clock: Clock;
  random?: RandomBytes;
  isTransient(error: unknown): boolean;
  pause(milliseconds: number): Promise<void>;
  /** How long a charge waits for a database that is away before the call fails as `unavailable`. */
  retryMilliseconds: number;
  /** A settlement that failed for good after its caller had gone. */
  onLooseEnd(error: unknown): void;
}

/** For how long a refused read keeps reads of the same price and up from running in vain. */
const ROOM_MEMORY_MILLISECONDS = 250;
const LOOSE_END_PAUSE_MILLISECONDS = 500;
const MAXIMUM_BATCH = 512;
const MAXIMUM_KEY_LENGTH = 255;
const LONGEST_STORED_FAILURE = 4_096;

/** The tenant pays: under the monthly cap, by a usage record that is durable before the answer leaves. */
export function createChargeByKey(options: ChargeByKeyOptions): Charge & { idle(): Promise<void> } {
  const { calls, processId, clock, random = systemRandom } = options;
  const group = <Item, Outcome>(
    flush: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  ): GroupCommitOptions<Item, Outcome> => ({
    flush,
    maximumBatch: MAXIMUM_BATCH,
    isTransient: options.isTransient,
    retryMilliseconds: options.retryMilliseconds,
    pause: options.pause,
  });
  const charges = createGroupCommit(group<ChargeLine, boolean>((lines) => grantTwice(lines, calls.charge)));
  const reservations = createGroupCommit(
    group<ChargeLine, boolean>((lines) => grantTwice(lines, (some) => calls.reserve(some, processId))),
  );
  // What a call ended with must reach the books however long the database is away: only the caller stops waiting.
  const settlements = createGroupCommit({
    ...group<Settlement, string | null>((lines) => calls.settle(lines)),
    neverGiveUp: true,
  });
  const loose = new Set<Promise<void>>();

  /** Tenants that were refused a moment ago: `price` is known not to fit. */
  const refusals = new Map<string, { price: bigint; until: number }>();

  function refuse(call: PendingCall): Failure {
    if (refusals.size > 10_000) refusals.clear();
    refusals.set(call.tenantId, { price: call.price, until: performance.now() + ROOM_MEMORY_MILLISECONDS });
    return spendCapExceeded();
  }

  async function guarded<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (!options.isTransient(error)) throw error;
      throw databaseAway(error);
    }
  }

  /** Undoes a claim and a reservation of which nobody knows whether they were made. */
  function abandon(call: PendingCall): void {
    const undo = { usageId: null, latencyMs: 0, at: clock.now(), idempotency: "none", outcomeText: null } as const;
    const released = settlements.submit({ callId: call.id, ...undo }).catch((error: unknown) => {
      // Its waiter was told that it takes long; the release itself is sent until it is written.
      if (!options.isTransient(error)) options.onLooseEnd(error);
    });
    track(released.then(() => eventually(() => calls.closeClaim(call.id))));
  }

  async function eventually(work: () => Promise<unknown>): Promise<void> {
    while (true) {
      try {
        await work();
        return;
      } catch (error) {
        if (!options.isTransient(error)) throw error;
        await options.pause(LOOSE_END_PAUSE_MILLISECONDS);
      }
    }
  }

  /** Keeps loose ends from ending the process when they fail, and lets a stop wait for them. */
  function track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => options.onLooseEnd(error)).finally(() => loose.delete(tracked));
    loose.add(tracked);
  }

  async function reserve(call: PendingCall): Promise<Reservation> {
    try {
      if (call.idempotencyKey !== undefined) {
        const replay = await guarded(claim(call, call.idempotencyKey));
        if (replay !== undefined) return replay;
      }
      if (call.tool.effect === "read") return { kind: "run" };
      const keyed = call.idempotencyKey !== undefined;
      if (await guarded(reservations.submit(lineOf(call, call.id, keyed ? call.id : null, 0)))) return { kind: "run" };
      if (keyed && !(await guarded(calls.closeClaim(call.id)))) throw takenForDead();
    } catch (error) {
      if (!isRefusal(error)) abandon(call);
      throw error;
    }
    throw refuse(call);
  }

  /** Undefined: the key is this call's now. */
  async function claim(call: PendingCall, key: string): Promise<Reservation | undefined> {
    if (key.length === 0 || key.length > MAXIMUM_KEY_LENGTH) {
      throw new Failure("invalid_input", {
        detail: `An Idempotency-Key has 1 to ${MAXIMUM_KEY_LENGTH} characters.`,
        issues: [{ path: "Idempotency-Key", message: `must have 1 to ${MAXIMUM_KEY_LENGTH} characters` }],
      });
    }
    const identity = { tenantId: call.tenantId, subject: call.subject, tool: call.tool.name, key };
    // An answer of the sandbox must never stand for a request that moves real money: it was another request.
    const request = call.environment === "production" ? call.args : { [call.environment]: call.args };
    const requestHash = createHash("sha256").update(canonicalJson(request)).digest("base64url");
    const held = await calls.claim(identity, requestHash, call.id, processId, call.startedAt);
    if (held.kind === "claimed") return undefined;
    if (held.kind === "mismatch") {
      throw new Failure("idempotency_mismatch", {
        detail:
          "This Idempotency-Key was used with other arguments, or in the other environment. Use a new key for a new request.",
      });
    }
    if (held.kind === "running") {
      throw new Failure("in_progress", {
        detail: "A call with this Idempotency-Key is still running. Send it again shortly.",
        retryAfterSeconds: 1,
      });
    }
    // A read runs again and was paid for: `capture` finds its record by the key.
    if (call.tool.effect === "read") {
      paidReads.set(call, { usageId: held.usageId, price: held.price });
      return undefined;
    }
    return {
      kind: "replay",
      outcome: readOutcome(held.outcomeText),
      usageId: held.usageId ?? undefined,
      price: held.price,
    };
  }

  /** Reads whose idempotency key was charged before. Entries go with their calls. */
  const paidReads = new WeakMap<PendingCall, { usageId: string | null; price: bigint }>();

  /** What cannot be done because the database is away leaves no claim and no reservation behind. */
  async function orAbandon<Result>(call: PendingCall, work: Promise<Result>): Promise<Result> {
    try {
      return await guarded(work);
    } catch (error) {
      if (!isRefusal(error)) abandon(call);
      throw error;
    }
  }

  async function captureRead(call: PendingCall, latencyMs: number) {
    const paid = paidReads.get(call);
    if (paid !== undefined) return { usageId: paid.usageId ?? undefined, price: paid.price, replayed: true };
    const keyed = call.idempotencyKey !== undefined;
    const usageId = newId("use_", call.startedAt.epochMilliseconds, random);
    const line = lineOf(call, usageId, keyed ? call.id : null, latencyMs);
    const granting = charges.submit(line);
    if (!keyed) {
      if (!(await guarded(granting))) throw refuse(call);
      return { usageId, price: call.price, replayed: false };
    }
    try {
      if (await guarded(granting)) return { usageId, price: call.price, replayed: false };
      throw (await guarded(calls.closeClaim(call.id))) ? refuse(call) : takenForDead();
    } catch (error) {
      if (!isRefusal(error)) abandon(call);
      throw error;
    }
  }

  return {
    admit(call) {
      if (call.tool.effect !== "read") return;
      const refusal = refusals.get(call.tenantId);
      if (refusal !== undefined && refusal.until > performance.now() && call.price >= refusal.price) {
        throw spendCapExceeded();
      }
    },

    reserve: (call) =>
      call.idempotencyKey === undefined && call.tool.effect === "read" ? { kind: "run" } : reserve(call),

    async capture(call, result, latencyMs, firstCallId) {
      if (call.tool.effect === "read") return captureRead(call, latencyMs);
      const first = firstCallId === undefined ? undefined : await orAbandon(call, calls.takeOver(firstCallId));
      const paidBefore = first?.paid === true ? first : undefined;
      const keyed = call.idempotencyKey !== undefined;
      const usageId = paidBefore === undefined ? newId("use_", call.startedAt.epochMilliseconds, random) : null;
      const settling = settlements.submit({
        callId: call.id,
        usageId,
        latencyMs,
        at: clock.now(),
        idempotency: keyed ? "store" : "none",
        outcomeText: keyed ? JSON.stringify({ ok: true, result }) : null,
        ...(paidBefore === undefined ? {} : { paidBefore }),
      });
      const paidUnder = await guarded(settling);
      if (paidBefore !== undefined)
        return { usageId: paidBefore.usageId ?? undefined, price: paidBefore.price, replayed: true };
      // Null: another call has the key by now, and pays.
      const price = paidUnder === null ? 0n : call.price;
      return { usageId: paidUnder ?? undefined, price, replayed: firstCallId !== undefined || paidUnder === null };
    },

    async release(call, outcome, final) {
      if (call.tool.effect === "read") {
        if (call.idempotencyKey === undefined || paidReads.has(call)) return;
        await orAbandon(call, calls.closeClaim(call.id));
        return;
      }
      const store = final && call.idempotencyKey !== undefined;
      await guarded(
        settlements.submit({
          callId: call.id,
          usageId: null,
          latencyMs: 0,
          at: clock.now(),
          idempotency: call.idempotencyKey === undefined ? "none" : store ? "store" : "forget",
          outcomeText: store ? failureText(outcome) : null,
        }),
      );
    },

    async idle() {
      await Promise.race([
        Promise.all([charges.idle(), reservations.idle(), settlements.idle(), ...loose]),
        options.pause(options.retryMilliseconds),
      ]);
    },
  };

  function lineOf(call: PendingCall, id: string, callId: string | null, latencyMs: number): ChargeLine {
    return {
      id,
      callId,
      tenantId: call.tenantId,
      keyId: call.keyId,
      subject: call.subject,
      tool: call.tool.name,
      surface: call.surface,
      period: instantText(call.startedAt).slice(0, 7),
      listPrice: call.listPrice,
      discountPercent: call.discountPercent,
      price: call.price,
      usageStatus: call.environment === "sandbox" ? "sandbox" : "unsettled",
      traceId: call.traceId,
      idempotencyKey: call.idempotencyKey ?? null,
      latencyMs,
      at: call.startedAt,
    };
  }
}

/** A grant is a prefix, so a dear call keeps cheaper ones behind it out: those are asked for once more, cheapest first. */
async function grantTwice(
  lines: readonly ChargeLine[],
  grant: (lines: readonly ChargeLine[]) => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const first = await grant(lines);
  const refused = lines.filter((_, index) => first[index] === false);
  const [some] = refused;
  if (some === undefined || refused.every((line) => line.price === some.price)) return first;
  const again = refused.toSorted((left, right) => Number(left.price - right.price));
  const second = await grant(again);
  const granted = new Set(again.filter((_, index) => second[index] === true).map((line) => line.id));
  return lines.map((line, index) => first[index] === true || granted.has(line.id));
}

/** Known to have taken nothing; after anything else a claim or a reservation may be left. */
function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.code !== "unavailable";
}

function spendCapExceeded(): Failure {
  return new Failure("spend_cap_exceeded", {
    detail:
      "The tenant's monthly spend cap leaves no room for this call. The operator can raise it: npm run tenant -- set <tenantId> --cap <USDC>.",
  });
}

/** The process was silent for so long that another one freed the key; the call that has it now pays. */
function takenForDead(): Failure {
  return new Failure("in_progress", {
    detail: "The call took so long that its Idempotency-Key was given free. Nothing was charged; send it again.",
    retryAfterSeconds: 1,
  });
}

/** A failure costs nothing, so what is kept of it is short: what it says of the caller's own arguments goes first. */
function failureText(outcome: Outcome & { ok: false }): string {
  const text = JSON.stringify(outcome);
  if (text.length <= LONGEST_STORED_FAILURE) return text;
  const { ok, code, detail } = outcome;
  return JSON.stringify({ ok, code, detail: detail?.slice(0, LONGEST_STORED_FAILURE) });
}

/** What `capture` and `release` stored. */
function readOutcome(text: string | null): Outcome {
  const stored: unknown = text === null ? undefined : JSON.parse(text);
  if (typeof stored === "object" && stored !== null && "ok" in stored) {
    if (stored.ok === true && "result" in stored) return { ok: true, result: stored.result };
    if (stored.ok === false && "code" in stored && typeof stored.code === "string") {
      return { ...stored, ok: false, code: stored.code };
    }
  }
  throw new Error("A stored outcome is not readable.");
}
