import { Failure } from "../../domain/errors.ts";
import { requestHash } from "../../domain/request-hash.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import type { Calls, HeldClaim } from "./calls.ts";

const MAXIMUM_KEY_LENGTH = 255;

type Done = Extract<HeldClaim, { kind: "done" }>;

/** Takes an idempotency key for a call, or returns its stored answer. Throws Failure if it cannot be used now. */
export async function claimKey(
  calls: Pick<Calls, "claim" | "countRerun">,
  call: PendingCall,
  { key, processId }: { key: string; processId: string },
): Promise<{ kind: "claimed" } | Done> {
  const { identity, requestHash } = identifyRequest(call, key);
  const held = await calls.claim(identity, requestHash, call.id, processId, call.startedAt);
  if (held.kind === "claimed") return held;
  const done = requireDone(held);
  if (call.tool.effect === "read" && !(await calls.countRerun(identity))) throw runTooOften(done, call.startedAt);
  return done;
}

/** Returns the stored answer of the call's key without taking the key; undefined: none. Throws like `claimKey`. */
export async function lookAtKey(calls: Pick<Calls, "look">, call: PendingCall, key: string): Promise<Done | undefined> {
  const { identity, requestHash } = identifyRequest(call, key);
  const held = await calls.look(identity, requestHash, call.startedAt);
  return held === undefined ? undefined : requireDone(held);
}

/** Replaces the outcome `stored` of the call's key; returns the one that is kept, or undefined if the key is free by now. */
export async function keepForKey(
  calls: Pick<Calls, "keepOutcome">,
  call: PendingCall,
  key: string,
  { stored, outcomeText }: { stored: string; outcomeText: string },
): Promise<string | undefined> {
  return (await calls.keepOutcome(identifyRequest(call, key).identity, stored, outcomeText)) ?? undefined;
}

/** Returns the hash of the request that takes the key of the call; null if the call has no key. */
export function hashKeyedRequest(call: PendingCall): string | null {
  const { idempotencyKey } = call;
  return idempotencyKey === undefined ? null : identifyRequest(call, idempotencyKey).requestHash;
}

function identifyRequest(call: PendingCall, key: string) {
  if (key.length === 0 || key.length > MAXIMUM_KEY_LENGTH) {
    throw new Failure("invalid_input", {
      detail: `An Idempotency-Key has 1 to ${MAXIMUM_KEY_LENGTH} characters.`,
      issues: [{ path: "Idempotency-Key", message: `must have 1 to ${MAXIMUM_KEY_LENGTH} characters` }],
    });
  }
  const { tenantId, environment, subject, tool, args } = call;
  // The environments have separate keys; hashing both keeps a sandbox answer from ever standing for real money.
  const request = environment === "production" ? args : { [environment]: args };
  return {
    identity: { tenantId, environment, subject, tool: tool.name, key },
    requestHash: requestHash(request),
  };
}

function requireDone(held: HeldClaim): Done {
  if (held.kind === "mismatch") {
    throw new Failure("idempotency_mismatch", {
      detail: "This Idempotency-Key was used with other arguments. Use a new key for a new request.",
    });
  }
  if (held.kind === "running") {
    throw new Failure("in_progress", {
      detail: "A call with this Idempotency-Key is still running. Send it again shortly.",
      retryAfterSeconds: 1,
    });
  }
  return held;
}

function runTooOften({ usageId, freeAt }: Done, now: Temporal.Instant): Failure {
  return new Failure("rate_limited", {
    detail:
      "This Idempotency-Key has been repeated as often as is allowed in a day. The call was charged once, as meterId; use its answer, or a new key for a new call.",
    ...(usageId === null ? {} : { extra: { meterId: usageId } }),
    retryAfterSeconds: Math.max(1, Math.ceil(now.until(freeAt).total("seconds"))),
  });
}

/** The process was silent for so long that its key was released; the call that now holds the key pays. */
export function takenForDead(): Failure {
  return new Failure("in_progress", {
    detail: "The call took so long that its Idempotency-Key was released. Nothing was charged; send it again.",
    retryAfterSeconds: 1,
  });
}
