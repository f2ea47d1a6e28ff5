import type { LanguageModel, ModelPart, ModelRequest } from "../../ports/language-model.ts";
import { decide } from "./deciding/decide.ts";
import { speakerIn } from "./replies/speaker.ts";
import { foldMessages } from "./state/fold.ts";

/**
 * Serves where no model is configured: it reads English, German and Spanish by rules, and answers in the language of the text or
 * of the locale. A pure function of the request: what was said and shown follows from the messages.
 */
export function createRulesModel(): LanguageModel {
  return {
    name: "rules",
    kind: "rules",
    async *step(request, signal) {
      signal.throwIfAborted();
      yield* answer(request);
    },
  };
}

function* answer(request: ModelRequest): Generator<ModelPart> {
  const state = foldMessages(request);
  const speaker = speakerIn(request.locale, state.language, state.address);
  const today = request.now.toZonedDateTimeISO(request.timeZone).toPlainDate();
  const { text, calls = [], question } = decide({ state, request, speaker, today });
  if (text !== undefined && text !== "") yield { type: "text", text };
  for (const [index, { name, args }] of calls.entries()) {
    yield { type: "toolCall", id: `call_${request.messages.length}_${index + 1}`, name, args };
  }
  if (question !== undefined) yield { type: "question", ...question };
  yield { type: "end", reason: "done", usage: { inputTokens: 0, outputTokens: 0 } };
}
