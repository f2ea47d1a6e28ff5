import { Failure, type Issue, invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { requestHash } from "../../domain/request-hash.ts";
import type { Clock } from "../../ports/clock.ts";
import { type BeginTurn, type BegunTurn, toConversationOwner } from "./conversations.ts";
import { redactText } from "./guards/redact.ts";
import { describeStart } from "./running/run-turn.ts";
import type { TurnRunner } from "./running/turn-runner.ts";
import type { Turns } from "./store.ts";
import { storableText } from "./stores/storable.ts";
import type { NewTurn } from "./stores/store-begin.ts";
import { detectLanguage } from "./texts/detect-language.ts";

const LONGEST_TEXT = 8_000;
const LONGEST_KEY = 255;
/** For this time after its end, a turn without a key is the same one: longer than callers wait before they repeat it. */
const SAME_SECONDS = 120;
/** The same of a turn that only told something: money may have come in since. */
const SAME_SECONDS_OF_ANSWERS = 20;
const RETRY_AFTER_SECONDS = 5;
const MOST_ATTEMPTS = 3;

interface BeginParts {
  turns: Turns;
  turnRunner: TurnRunner;
  clock: Clock;
  random: RandomBytes;
}

/** Stores the message, and runs its turn unless it has to wait for another one. */
export async function beginConversationTurn(parts: BeginParts, message: BeginTurn): Promise<BegunTurn> {
  const turn = buildTurn(parts, message);
  const { turns, turnRunner, clock } = parts;
  const began = await beginOnce(turns, turn, startedLine(turn, clock.now()));
  if (began.kind === "missing") throw conversationNotFound();
  if (began.kind === "full") {
    const detail =
      "Too many messages of this conversation are waiting for a reply. Wait for some replies, or stop the conversation.";
    throw new Failure("rate_limited", { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (began.kind === "known") {
    if (began.isSameRequest) return began.begun;
    const detail = "The idempotency key was used with another message. Use a new key for a new message.";
    throw new Failure("idempotency_mismatch", { detail });
  }
  if (began.turn !== undefined) turnRunner.begin(began.turn, began.line, message);
  return began.begun;
}

/** The rest of the first event: the statement that stores it adds its number and the conversation's locale. */
export function startedLine(turn: NewTurn, now: Temporal.Instant): string {
  const { locale: _, ...start } = describeStart(turn);
  return `,${JSON.stringify({ at: now.toString(), ...start }).slice(1)}`;
}

export function conversationNotFound(): Failure {
  return new Failure("conversation_not_found", {
    detail: "This traveler has no such conversation. Omit conversationId to begin a new one.",
  });
}

/** Two messages with one key at once: the later one finds the earlier one's turn. */
async function beginOnce(turns: Turns, turn: NewTurn, line: string) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await turns.begin(turn, line);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isDuplicate(error)) throw error;
    }
  }
}

const UNIQUE_VIOLATION = "23505";
const isDuplicate = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === UNIQUE_VIOLATION;

function buildTurn({ turnRunner, clock, random }: BeginParts, message: BeginTurn): NewTurn {
  const {
    principal,
    userId,
    conversationId,
    channel,
    idempotencyKey,
    callId,
    traceId,
    isNaturallyIdempotent = false,
  } = message;
  const text = storableText(String(redactText(message.text)));
  const locale = readLocale(message.locale);
  refuseInvalid(text, message, locale);
  const now = clock.now();
  const hasKey = idempotencyKey !== undefined;
  return {
    ...toConversationOwner(principal, userId),
    id: newId("trn_", now.epochMilliseconds, random),
    conversationId: conversationId ?? newId("cnv_", now.epochMilliseconds, random),
    isNewConversation: conversationId === undefined,
    keyId: principal.keyId,
    userId,
    channel,
    // A later message without a locale leaves that of its conversation.
    locale: locale ?? (conversationId === undefined ? (detectLanguage(text) ?? "en") : ""),
    text,
    continuesCall: undefined,
    traceId,
    idempotencyKey,
    callId,
    requestHash: requestHash({ text, channel, conversationId: conversationId ?? null }),
    sameSince: isNaturallyIdempotent && !hasKey ? sinceWhen(now) : undefined,
    workerId: turnRunner.workerId,
    leasedUntil: turnRunner.leasedUntil(),
    createdAt: now,
  };
}

const sinceWhen = (now: Temporal.Instant) => ({
  asked: now.subtract({ seconds: SAME_SECONDS }),
  told: now.subtract({ seconds: SAME_SECONDS_OF_ANSWERS }),
});

function refuseInvalid(text: string, { locale, idempotencyKey }: BeginTurn, read: string | undefined): void {
  const issues: Issue[] = [];
  if (text.trim() === "" || text.length > LONGEST_TEXT) {
    issues.push({ path: "text", message: `must have 1 to ${LONGEST_TEXT.toLocaleString("en")} characters` });
  }
  if (locale !== undefined && read === undefined) {
    issues.push({ path: "locale", message: "must be a BCP 47 language tag, such as en or de-AT" });
  }
  if (idempotencyKey !== undefined && (idempotencyKey === "" || idempotencyKey.length > LONGEST_KEY)) {
    issues.push({ path: "Idempotency-Key", message: `must have 1 to ${LONGEST_KEY} characters` });
  }
  if (issues.length > 0) throw invalidInput(issues);
}

/** Undefined: none was given, or Intl does not know its form. */
function readLocale(tag: string | undefined): string | undefined {
  if (tag === undefined || tag.length > 35) return undefined;
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}
