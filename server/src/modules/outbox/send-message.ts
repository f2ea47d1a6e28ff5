import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import { newId } from "../../domain/ids.ts";
import type { EffectUse } from "../../kernel/contracts/effect-use.ts";
import type { Transaction } from "../../kernel/contracts/stores.ts";
import { backOff } from "../../platform/leased-queue/back-off.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  defineEffectUse,
  type EffectDefinition,
  EffectWorker,
  failed,
  type Move,
  STALE_SECONDS,
  send,
  unknown,
  Waiting,
} from "../effects/index.ts";
import type { Letter } from "./carriers/carrier.ts";
import type { Aggregates, Stores } from "./context.ts";
import type { Delivery } from "./delivery.ts";
import type { MessageReason, MessageRecord, MessageState, NewMessage } from "./messages.ts";

/**
 * The outbox: everything that the product writes to people. Messages are effects (`modules/effects/effect.ts`) without a
 * look-up: most carriers cannot say what they have accepted, and a repeated message has the same key. A message is stored once
 * per recipient and reason, composed when it is sent, retried with growing intervals until it expires, and kept if it may not
 * be sent.
 */
export interface OutboxPorts {
  stores: Stores;
  clock: Clock;
  delivery: Delivery;
}

type MessageEnd = Extract<MessageState, "sent" | "kept" | "failed">;

/** A kind of message, contributed by the module that owns its subject. `Own` is that module's transaction. */
export interface MessageKind<Own = Transaction> {
  /** Used in log lines and metrics. */
  name: string;
  /** The stored kinds that it composes. */
  kinds: readonly string[];
  /** Undefined: the message is no longer needed. */
  compose(message: MessageRecord): Promise<Letter | undefined>;
  /** See `Carrier.send`. Default: derived from the id. */
  key?(message: MessageRecord): string;
  /** Runs in the transaction that stores the end. */
  ended?(aggregates: Own, message: MessageRecord, end: MessageEnd): Promise<void>;
}

interface SentMessage {
  state: MessageState;
  /** When it entered this state. */
  at: Temporal.Instant;
  /** False: an earlier call created it. */
  isNew: boolean;
}

/** Also sent for the sandbox of a production deployment: its members are real people, who could not sign in. */
export const SIGN_IN_KIND = "sign_in";
const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;
const RETRY = { firstMilliseconds: 15_000, longestMilliseconds: 3_600_000 };
const ENDS: ReadonlySet<MessageState> = new Set(["sent", "kept", "failed"]);

/** Sends the given words once per recipient and reason. */
export async function sendMessage(
  ports: OutboxPorts,
  message: NewMessage,
  waitMilliseconds?: number,
): Promise<SentMessage> {
  const { messages } = ports.stores;
  const stored = await messages.insert(message);
  if (stored !== undefined) await sendNow(ports, storedWords(ports), stored, waitMilliseconds);
  const now = stored === undefined ? await messages.findLive(message) : await messages.get(stored.id);
  return { state: now?.state ?? "failed", at: now?.updatedAt ?? ports.clock.now(), isNew: stored !== undefined };
}

/**
 * Sends a stored message at once unless another worker has it. Returns its state after the time limit at the latest: an
 * unfinished attempt continues, and the reconciler retries failed ones.
 */
export async function sendNow(
  ports: OutboxPorts,
  kind: MessageKind,
  { id }: MessageRecord,
  waitMilliseconds = WAIT_MILLISECONDS,
): Promise<MessageState> {
  const { messages } = ports.stores;
  const over = new AbortController();
  const timeUp = delay(waitMilliseconds, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
  try {
    // If the database is away, the message stays as it is and the reconciler finds it.
    await Promise.race([sendOrWait(ports, kind, id, over.signal).catch(() => undefined), timeUp]);
  } finally {
    over.abort();
  }
  return (await messages.get(id))?.state ?? "failed";
}

async function sendOrWait(ports: OutboxPorts, kind: MessageKind, id: string, signal: AbortSignal): Promise<void> {
  const { stores, clock } = ports;
  const workerId = newId("snd_", clock.now().epochMilliseconds);
  const leased = await stores.messages.claim(id, workerId, STALE_SECONDS);
  if (leased !== undefined) {
    await new EffectWorker({ stores, clock, definition: messageEffect(ports, kind) }, workerId).resume(leased);
    return;
  }
  for (;;) {
    const message = await stores.messages.get(id);
    if (message === undefined || ENDS.has(message.state)) return;
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}

/** Whether a message for this reason may be sent: there is none yet, and it would not be kept. */
export async function mayBeSent(
  { stores, delivery }: Pick<OutboxPorts, "stores" | "delivery">,
  reason: MessageReason,
): Promise<boolean> {
  if (reason.environment === delivery.kept) return false;
  return (await stores.messages.findLive(reason)) === undefined;
}

/** Messages whose words are stored with them. */
export function storedWords({ stores, clock }: Pick<OutboxPorts, "stores" | "clock">): MessageKind {
  return {
    name: "message",
    kinds: ["approval", "disruption", "event_endpoint", "notice", SIGN_IN_KIND],
    compose: async (message) => (isOver(message, clock) ? undefined : await stores.messages.readLetter(message.id)),
  };
}

/** Sends messages that no caller waits for, and those that a crash or a carrier left unsent. */
export function outboxUse(ports: OutboxPorts, kind: MessageKind): EffectUse {
  const { stores, clock } = ports;
  const definition = messageEffect(ports, kind);
  return defineEffectUse<MessageRecord, Aggregates>({
    name: kind.name,
    kinds: kind.kinds,
    stores,
    clock,
    store: ({ messages }) => messages,
    definitionFor: () => definition,
  });
}

function messageEffect(ports: OutboxPorts, kind: MessageKind): EffectDefinition<MessageRecord, Aggregates> {
  return {
    done: "sent",
    store: ({ messages }) => messages,
    quietMilliseconds: ({ attempts }) => backOff(attempts, RETRY),
    recovery: { kind: "send_again", sendAgain: (message) => sendOne(ports, kind, message) },
    neverSent: () => new Failure("mail_not_sent"),
    giveBack: async (aggregates, message) => await kind.ended?.(aggregates, message, "failed"),
    unstoredEnd: "unknown",
  };
}

async function sendOne(
  ports: OutboxPorts,
  kind: MessageKind,
  message: MessageRecord,
): Promise<Move<MessageRecord, Aggregates>> {
  const { delivery, clock } = ports;
  const letter = await kind.compose(message);
  if (letter === undefined) {
    return failed(new Failure("mail_refused", { cause: new Error("nobody needs it any more") }));
  }
  const end = (to: "sent" | "kept"): Move<MessageRecord, Aggregates> => ({
    kind: "done",
    end: async () => ({
      to,
      result: undefined,
      apply: async (aggregates) => await kind.ended?.(aggregates, message, to),
    }),
  });
  const shown = await findSandboxCarrier(delivery, message);
  const carrier = shown ?? delivery.carriers.get(message.carrier);
  if (carrier === undefined) return unknown(new Waiting(`the operator has not set up ${message.carrier}`));
  if (shown === undefined && !(await mayLeave(ports, message, letter))) return end("kept");
  const key = kind.key?.(message) ?? message.id.replace("msg_", "message.");
  return send<MessageRecord, Aggregates, void>({
    to: "sending",
    change: { attempts: message.attempts + 1 },
    request: () => carrier.send(letter, key),
    answered: () => end("sent"),
    refused: (_message, failure) =>
      isOver(message, clock) || failure.code === "mail_refused" ? failed(failure) : unknown(failure),
  });
}

/** Codes prove who somebody is: they never go where one person reads everybody's mail. */
const CODES: ReadonlySet<string> = new Set([SIGN_IN_KIND, "link_code"]);

async function findSandboxCarrier(delivery: Delivery, { carrier, kind, ...owner }: MessageRecord) {
  return carrier === "mail" && !CODES.has(kind) ? await delivery.findSandboxCarrier(owner) : undefined;
}

/** A retried message was counted before. */
async function mayLeave(
  { stores, delivery: { kept, mostPerTenantAndDay, mostPerRecipientAndDay } }: OutboxPorts,
  { environment, tenantId, attempts, kind }: MessageRecord,
  { to: { address: recipient } }: Letter,
): Promise<boolean> {
  if (environment === kept && kind !== SIGN_IN_KIND) return false;
  const counted = { environment, tenantId, recipient, mostPerTenantAndDay, mostPerRecipientAndDay };
  return attempts > 0 || (await stores.messageCounts.count(counted));
}

function isOver({ expiresAt }: MessageRecord, clock: Clock): boolean {
  return Temporal.Instant.compare(expiresAt, clock.now()) <= 0;
}
