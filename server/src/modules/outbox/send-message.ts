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
import type { Mailing } from "./mailing.ts";
import type { MessageReason, MessageRecord, MessageState, NewMessage } from "./messages.ts";

/**
 * The outbox: everything that the product writes to people. Messages are effects (`modules/effects/effect.ts`) without a look-up: most
 * carriers cannot be asked what they have taken, and a message that is sent again has the same key. A message is stored once per
 * recipient and reason, composed when it is sent, tried ever more rarely until it expires, and kept where it may not leave.
 */
export interface OutboxPorts {
  stores: Stores;
  clock: Clock;
  mailing: Mailing;
}

type MessageEnd = Extract<MessageState, "sent" | "kept" | "failed">;

/** What is written about one kind of thing, by the module that the thing belongs to; it names its own aggregates. */
export interface MessageKind<Own = Transaction> {
  /** In log lines and metrics. */
  name: string;
  /** The kinds of messages that it composes. */
  kinds: readonly string[];
  /** Undefined: nobody needs it any more. */
  compose(message: MessageRecord): Promise<Letter | undefined>;
  /** See `Carrier.send`; left out: it follows from the id. */
  key?(message: MessageRecord): string;
  /** In the transaction that stores the end. */
  ended?(aggregates: Own, message: MessageRecord, end: MessageEnd): Promise<void>;
}

interface SentMessage {
  state: MessageState;
  /** When it came into this state. */
  at: Temporal.Instant;
  /** False: an earlier call wrote it. */
  isNew: boolean;
}

const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;
const RETRY = { firstMilliseconds: 15_000, longestMilliseconds: 3_600_000 };
const ENDS: ReadonlySet<MessageState> = new Set(["sent", "kept", "failed"]);

/** Writes once for a reason, in words that are given. */
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
 * Sends a stored message at once, unless somebody else does. Comes back after the time at the latest and says how the message stands:
 * what is not sent by then goes on, and the reconciler tries again what failed.
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
    // A database that is away leaves the message as it is: the reconciler finds it.
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

/** Whether a message for this reason may leave: none has been written yet, and it is not of those that are kept. */
export async function mayBeSent(
  { stores, mailing }: Pick<OutboxPorts, "stores" | "mailing">,
  reason: MessageReason,
): Promise<boolean> {
  if (reason.environment === mailing.kept) return false;
  return (await stores.messages.findLive(reason)) === undefined;
}

/** Messages whose words are stored with them. */
export function storedWords({ stores, clock }: Pick<OutboxPorts, "stores" | "clock">): MessageKind {
  return {
    name: "message",
    kinds: ["approval", "disruption"],
    compose: async (message) => (isOver(message, clock) ? undefined : await stores.messages.readLetter(message.id)),
  };
}

/** For the reconciler: messages that nobody waits for, and those that a crash or a carrier left unsent. */
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
  const { mailing, clock } = ports;
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
  const carrier = mailing.carriers.get(message.carrier);
  if (carrier === undefined) return unknown(new Waiting(`the operator has not set up ${message.carrier}`));
  if (!(await mayLeave(ports, message, letter))) return end("kept");
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

/** A message that is sent again was counted before. */
async function mayLeave(
  { stores, mailing: { kept, mostPerTenantAndDay, mostPerRecipientAndDay } }: OutboxPorts,
  { environment, tenantId, attempts }: MessageRecord,
  { to: { address: recipient } }: Letter,
): Promise<boolean> {
  if (environment === kept) return false;
  const mail = { environment, tenantId, recipient, mostPerTenantAndDay, mostPerRecipientAndDay };
  return attempts > 0 || (await stores.mailCounts.count(mail));
}

function isOver({ expiresAt }: MessageRecord, clock: Clock): boolean {
  return Temporal.Instant.compare(expiresAt, clock.now()) <= 0;
}
