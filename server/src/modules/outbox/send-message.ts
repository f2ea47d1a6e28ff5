import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import type { EffectUse } from "../../kernel/effect-use.ts";
import { backOff } from "../../platform/leased-queue/back-off.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import type { Mailer } from "../../ports/mailer.ts";
import {
  defineEffectUse,
  type EffectDefinition,
  EffectWorker,
  failed,
  type Move,
  send,
  unknown,
} from "../effects/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import type { Mailing } from "./mailing.ts";
import type { MessageRecord, MessageState, StoredMail } from "./messages.ts";

/**
 * Mails to a tenant's own people are effects (`modules/effects/effect.ts`) without a look-up: a mail server cannot be asked what it has
 * taken, and a mail that comes again under the same `Message-ID` is the same mail.
 */
interface MessagePorts {
  stores: Stores;
  clock: Clock;
  mailer: Mailer;
}

interface SendingPorts extends MessagePorts {
  random: RandomBytes;
  mailing: Mailing;
}

interface MessageRequest {
  tenantId: string;
  environment: Environment;
  /** Who is written to. */
  userId: string;
  kind: string;
  /** What it is about: the same again is not written again. */
  about: readonly (string | undefined)[];
  mail: StoredMail;
  /** Until then a mail server that does not take it is tried again. */
  expiresAt: Temporal.Instant;
}

interface SentMessage {
  state: MessageState;
  /** When it came into this state. */
  at: Temporal.Instant;
  /** False: an earlier call wrote it. */
  isNew: boolean;
}

const WAIT_MILLISECONDS = 10_000;
const RETRY = { firstMilliseconds: 15_000, longestMilliseconds: 3_600_000 };

/** Writes once about a thing. What takes longer than a caller waits goes on, and the reconciler tries again what failed. */
export async function sendMessage(
  ports: SendingPorts,
  request: MessageRequest,
  waitMilliseconds = WAIT_MILLISECONDS,
): Promise<SentMessage> {
  const { stores, clock } = ports;
  const record = await stores.transaction((aggregates) => storeMessage(aggregates, ports, request));
  if (record === undefined) {
    const earlier = await stores.messages.findLive(request.tenantId, request.environment, keyOf(request));
    return { state: earlier?.state ?? "failed", at: earlier?.updatedAt ?? clock.now(), isNew: false };
  }
  await sendStored(ports, record, waitMilliseconds);
  const now = await stores.messages.get(record.id);
  return { state: now?.state ?? record.state, at: now?.updatedAt ?? record.updatedAt, isNew: true };
}

/**
 * Stores a mail in the transaction of what it is about: both are stored, or neither. `sendStored` sends it at once after that, and
 * the reconciler does what a crash has left. Undefined: it was written before. Whoever stores several sorts them by address, as
 * their counts stay locked until the end of the transaction.
 */
export async function storeMessage(
  { messages, mailCounts }: Pick<Aggregates, "messages" | "mailCounts">,
  { clock, random, mailing: { kept, ...most } }: Pick<SendingPorts, "clock" | "random" | "mailing">,
  { about, ...request }: MessageRequest,
): Promise<MessageRecord | undefined> {
  const { tenantId, environment, mail } = request;
  const id = newId("msg_", clock.now().epochMilliseconds, random);
  const record = await messages.insert({ ...request, id, key: keyOf({ ...request, about }), workerId: id });
  if (record === undefined) return undefined;
  const recipient = mail.to.address;
  const mayLeave = environment !== kept && (await mailCounts.count({ environment, tenantId, recipient, ...most }));
  if (mayLeave) return record;
  await messages.advance(id, { from: record.state, workerId: id }, "kept");
  return { ...record, state: "kept" };
}

/** Tries it, and comes back after the time at the latest: what is not done by then goes on. */
export async function sendStored(ports: MessagePorts, record: MessageRecord, waitMilliseconds: number): Promise<void> {
  if (record.state !== "kept") await sendInTime(ports, record, waitMilliseconds);
}

/** Whether a message about it may leave: none has been written yet, and it is not of those that are kept. */
export async function mayBeSent(
  { stores, mailing }: Pick<SendingPorts, "stores" | "mailing">,
  subject: Pick<MessageRequest, "tenantId" | "environment" | "kind" | "userId" | "about">,
): Promise<boolean> {
  const { tenantId, environment } = subject;
  if (environment === mailing.kept) return false;
  return (await stores.messages.findLive(tenantId, environment, keyOf(subject))) === undefined;
}

function keyOf({ kind, userId, about }: Pick<MessageRequest, "kind" | "userId" | "about">): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, userId, about]))
    .digest("base64url");
}

async function sendInTime(ports: MessagePorts, record: MessageRecord, milliseconds: number): Promise<void> {
  const { stores, clock } = ports;
  const worker = new EffectWorker<MessageRecord, Aggregates>(
    { stores, clock, definition: messageEffect(ports) },
    record.id,
  );
  const over = new AbortController();
  const timeUp = delay(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    // A database that is away leaves the mail as it is: the reconciler finds it.
    await Promise.race([worker.resume(record).catch(() => undefined), timeUp]);
  } finally {
    over.abort();
  }
}

function messageEffect(ports: MessagePorts): EffectDefinition<MessageRecord, Aggregates> {
  return {
    done: "sent",
    store: ({ messages }) => messages,
    quietMilliseconds: ({ attempts }) => backOff(attempts, RETRY),
    recovery: { kind: "send_again", sendAgain: (record) => sendOne(ports, record) },
    neverSent: () => new Failure("mail_not_sent"),
    giveBack: async () => undefined,
    unstoredEnd: "unknown",
  };
}

async function sendOne(
  { stores, mailer, clock }: MessagePorts,
  record: MessageRecord,
): Promise<Move<MessageRecord, Aggregates>> {
  const isOver = () => Temporal.Instant.compare(record.expiresAt, clock.now()) <= 0;
  const mail = isOver() ? undefined : await stores.messages.readMail(record.id);
  if (mail === undefined) {
    return failed(new Failure("mail_refused", { cause: new Error("nobody needs it any more") }));
  }
  const messageId = record.id.replace("msg_", "message.");
  return send<MessageRecord, Aggregates, void>({
    to: "sending",
    change: { attempts: record.attempts + 1 },
    request: () => mailer.send({ ...mail, messageId }),
    answered: () => ({ kind: "done", end: async () => ({ result: undefined, apply: async () => undefined }) }),
    refused: (_record, failure) => (isOver() || failure.code === "mail_refused" ? failed(failure) : unknown(failure)),
  });
}

/** For the reconciler: messages that a crash or a mail server left unsent. */
export function messageUse(ports: MessagePorts): EffectUse {
  const { stores, clock } = ports;
  const definition = messageEffect(ports);
  return defineEffectUse<MessageRecord, Aggregates>({
    ...{ name: "message", stores, clock },
    store: ({ messages }) => messages,
    definitionFor: () => definition,
  });
}
