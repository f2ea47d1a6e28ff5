import type { ModelMessage, ModelToolResult } from "../../../ports/language-model.ts";
import { readFurther } from "../guards/read-answer.ts";
import type { StoredCall, StoredTurn } from "../stores/store-history.ts";

/** The results of all messages together, in characters; older ones are left out first. */
const MOST_RESULT_CHARACTERS = 200_000;
/** Turns before these are told by what they did. */
const TURNS_IN_FULL = 16;

const LEFT_OUT = { note: "Left out as it is old. Call the tool again if it is needed." };
const NOT_RUN = { code: "not_run", detail: "The turn ended before the call." };

/** The conversation as a model reads it, rebuilt from our rows alone. */
export function buildMessages(turns: readonly StoredTurn[]): readonly ModelMessage[] {
  const messages = turns.slice(-TURNS_IN_FULL).flatMap(tellTurn);
  let left = MOST_RESULT_CHARACTERS;
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== "tools") return message;
      const results = message.results.map((result) => {
        left -= JSON.stringify(result.result ?? null).length;
        return left < 0 ? { ...result, result: LEFT_OUT } : result;
      });
      return { ...message, results };
    })
    .toReversed();
}

/** A sentence for each older turn, from what it called. */
export function summarizeOlder(turns: readonly StoredTurn[]): readonly string[] {
  return turns.slice(0, -TURNS_IN_FULL).flatMap(({ calls, createdAt }) => {
    const done = calls.flatMap(({ tool, outcome }) => (outcome === undefined ? [] : [`${tool} (${outcome})`]));
    return done.length === 0 ? [] : [`${createdAt.toString().slice(0, 10)}: ${done.join(", ")}`];
  });
}

function tellTurn({ text, isAnswer, createdAt, steps, calls }: StoredTurn): readonly ModelMessage[] {
  // A yes is no text for the model; a wish behind it is.
  const told = isAnswer && text !== undefined ? readFurther(text) : text;
  const said: readonly ModelMessage[] = told === undefined ? [] : [{ role: "user", text: told, at: createdAt }];
  return [
    ...said,
    ...steps.flatMap((step, index): readonly ModelMessage[] => {
      const own = calls.filter((call) => call.step === index);
      const toolCalls = own.map(({ modelCallId: id, tool: name, args }) => ({ id, name, args }));
      const reply: ModelMessage = { role: "assistant", ...step, toolCalls };
      return own.length === 0 ? [reply] : [reply, { role: "tools", results: own.map(tellResult) }];
    }),
  ];
}

function tellResult({ modelCallId: id, tool: name, outcome, result, state }: StoredCall): ModelToolResult {
  if (outcome !== undefined) return { id, name, outcome, result };
  return state === "asked"
    ? { id, name, outcome: "awaits_approval", result: null }
    : { id, name, outcome: "failed", result: NOT_RUN };
}
