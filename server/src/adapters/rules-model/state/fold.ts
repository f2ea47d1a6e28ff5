import { z } from "zod";
import type { ModelRequest } from "../../../ports/language-model.ts";
import { readMessage } from "../reading/read-message.ts";
import { absorbResult } from "./absorb.ts";
import { newState, type State } from "./state.ts";
import { understand } from "./understand.ts";

/** Goes through the messages in order. Nothing else is known, so the same messages give the same state. */
export function foldMessages(request: ModelRequest): State {
  const state = newState();
  const language = defaultLanguage(request.locale);
  const calls = new Map<string, unknown>();
  const open = new Set<string>();
  const traveler = withoutNew(request);
  for (const [index, message] of request.messages.entries()) {
    if (message.role === "user") {
      const today = message.at.toZonedDateTimeISO(request.timeZone).toPlainDate();
      // The answer to a confirmation, whose call goes on.
      if (open.size > 0 && isPlainAnswer(message.text, today, language)) continue;
      // A wish behind the yes that has just run something: the end of that is still to be told.
      const untold = request.messages[index - 1]?.role === "tools" ? state.results.filter(isDeed) : [];
      understand(state, message.text, { today, traveler, language });
      state.results = [...untold];
    } else if (message.role === "assistant") {
      for (const { id, args } of message.toolCalls) {
        calls.set(id, args);
        open.add(id);
      }
      state.question = message.question;
      if (message.toolCalls.length === 0) settleQuestion(state);
    } else {
      for (const result of message.results) {
        open.delete(result.id);
        absorbResult(state, result, calls.get(result.id));
      }
    }
  }
  return state;
}

const isDeed = ({ result: { name, outcome } }: State["results"][number]): boolean =>
  outcome === "ok" && /^(?:book_|confirm_|save_traveler)/.test(name);

/** Whoever gets a profile in this conversation stays who they were in its earlier messages. */
function withoutNew({ messages, traveler }: ModelRequest): ModelRequest["traveler"] {
  const saved = messages.flatMap((message) =>
    message.role === "assistant" ? message.toolCalls.filter(({ name }) => name === "save_traveler") : [],
  );
  const ids = new Set(saved.map(({ args }) => Saving.safeParse(args).data?.userId));
  return { ...traveler, companions: traveler.companions.filter(({ userId }) => !ids.has(userId)) };
}

const Saving = z.looseObject({ userId: z.string() });

/** The answer is needed for the wish of the turn that asked. */
function settleQuestion(state: State): void {
  const asking = state.wishes.find(({ kind }) => PENDING.has(kind));
  state.pending = state.question === undefined ? undefined : asking;
}

const PENDING: ReadonlySet<string> = new Set([
  "visa",
  "weather",
  "timeNow",
  "transfer",
  "restaurant",
  "reminder",
  "emergency",
  "invoice",
  "bookingFacts",
  "stranded",
]);

function isPlainAnswer(text: string, today: Temporal.PlainDate, language: "en" | "de" | "es"): boolean {
  if (text.length > 60) return false;
  const { kinds, personal, requests } = readMessage(text, { today, base: undefined, language, people: [] });
  return (
    personal.isCallerOut === undefined &&
    requests.wishes.length === 0 &&
    (kinds.has("yes") || kinds.has("no") || kinds.has("book")) &&
    [...kinds].every((kind) => /^(?:yes|no|skip|sign|thanks|book|it|word|cancel)$/.test(kind))
  );
}

function defaultLanguage(locale: string): "en" | "de" | "es" {
  const [language] = locale.split(/[-_]/);
  return language === "de" || language === "es" ? language : "en";
}
