import type { LanguageModel, ModelPart, ModelRequest } from "../../../ports/language-model.ts";
import { ModelFailure } from "../../../ports/language-model.ts";

/** More than this is no answer to a person. */
const MOST_TEXT = 32_000;
const MOST_CALLS = 16;
const MOST_ARGUMENTS = 100_000;
const LONGEST_NAME = 128;

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface ModelAnswer {
  readonly text: string;
  readonly question: Extract<ModelPart, { type: "question" }> | undefined;
  readonly calls: readonly AskedCall[];
  readonly reason: "done" | "length" | "refused";
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The model that answered, where one of several did. */
  readonly model: string | undefined;
}

interface StepOptions {
  model: LanguageModel;
  /** The model is given up if it shows no progress for so long. */
  silenceMilliseconds: number;
  signal: AbortSignal;
  onText(text: string): void;
}

/**
 * Asks the model for one step. Throws ModelFailure where it is silent for too long, answers nonsense, or more than anybody
 * reads; any other error of it counts as an unavailable model.
 */
export async function askModel(request: ModelRequest, options: StepOptions): Promise<ModelAnswer> {
  const { model, signal, silenceMilliseconds } = options;
  const silent = new AbortController();
  const parts = model.step(request, AbortSignal.any([signal, silent.signal]))[Symbol.asyncIterator]();
  const collected = new CollectedAnswer(options.onText);
  try {
    for (;;) {
      const next = await nextWithin(parts, silenceMilliseconds, signal);
      if (next === "stopped") throw new Stopped();
      if (next === "silent") throw new ModelFailure("model_unavailable", "The model did not answer in time.");
      if (next.done === true) return collected.finish();
      collected.add(next.value);
    }
  } catch (error) {
    if (error instanceof ModelFailure || error instanceof Stopped) throw error;
    if (signal.aborted) throw new Stopped();
    throw new ModelFailure("model_unavailable", "The model failed in an unexpected way.", { cause: error });
  } finally {
    silent.abort(OVER);
    // A model that hangs does not end its iteration either, so nobody waits for that.
    void parts.return?.().catch(() => undefined);
  }
}

/** A reason that is not made anew, with its stack, for each step. */
const OVER = new Error("The step is over.");

/** The turn was stopped while the model answered. */
export class Stopped extends Error {}

async function nextWithin(
  parts: AsyncIterator<ModelPart>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<IteratorResult<ModelPart> | "silent" | "stopped"> {
  if (signal.aborted) return "stopped";
  const { promise: late, resolve } = Promise.withResolvers<"silent" | "stopped">();
  const timer = setTimeout(() => resolve("silent"), milliseconds);
  const stop = () => resolve("stopped");
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([parts.next(), late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

class CollectedAnswer {
  readonly #onText: (text: string) => void;
  #text = "";
  readonly #calls: AskedCall[] = [];
  #argumentCharacters = 0;
  #question: ModelAnswer["question"];
  #end: Extract<ModelPart, { type: "end" }> | undefined;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  add(part: ModelPart): void {
    if (this.#end !== undefined) throw nonsense("It went on after its end.");
    if (part.type === "text") this.#addText(part.text);
    else if (part.type === "question") this.#question = part;
    else if (part.type === "toolCall") this.#addCall(part);
    else if (part.type === "end") this.#end = part;
  }

  #addText(text: string): void {
    if (typeof text !== "string") throw nonsense("Its text is no text.");
    this.#text += text;
    if (this.#text.length > MOST_TEXT) throw nonsense("Its text is too long.");
    if (text !== "") this.#onText(text);
  }

  #addCall({ id, name, args }: AskedCall): void {
    if (typeof id !== "string" || typeof name !== "string" || name.length > LONGEST_NAME) {
      throw nonsense("It called a tool without a name.");
    }
    this.#argumentCharacters += JSON.stringify(args ?? null).length;
    if (this.#calls.length === MOST_CALLS || this.#argumentCharacters > MOST_ARGUMENTS) {
      throw nonsense("It called too many tools at once, or with too long arguments.");
    }
    this.#calls.push({ id, name, args });
  }

  finish(): ModelAnswer {
    const end = this.#end;
    if (end === undefined) throw new ModelFailure("model_unavailable", "The model's answer was cut.");
    if (this.#text.trim() === "" && this.#calls.length === 0 && end.reason === "done") {
      throw nonsense("It said nothing.");
    }
    const count = (tokens: number) => (Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0);
    return {
      text: this.#text,
      question: this.#question,
      // Half a call at the end of a cut answer is none.
      calls: end.reason === "done" ? this.#calls : [],
      reason: end.reason,
      inputTokens: count(end.usage.inputTokens),
      outputTokens: count(end.usage.outputTokens),
      model: end.model,
    };
  }
}

function nonsense(why: string): ModelFailure {
  return new ModelFailure("model_nonsense", `The model's answer made no sense. ${why}`);
}
