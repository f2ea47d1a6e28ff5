import { wordsIn } from "../../../domain/texts.ts";
import { isDatabaseAway } from "../../../platform/database/transient.ts";
import type { Principal } from "../../../ports/identity.ts";
import { ModelFailure, type ModelRequest } from "../../../ports/language-model.ts";
import { findUsedUp } from "../budgets.ts";
import { buildMessages, summarizeOlder } from "../model-input/history.ts";
import { writeInstructions } from "../model-input/instructions.ts";
import { markUntrusted } from "../model-input/untrusted.ts";
import { sayEnd } from "../texts/end-texts.ts";
import type { LeasedTurn, Spent, StoredStep } from "../turns.ts";
import { KnownConversation } from "./known-conversation.ts";
import { askModel, type ModelAnswer, Stopped } from "./model-step.ts";
import { OpenCalls } from "./open-calls.ts";
import { ShownText, showOwnText } from "./shown-text.ts";
import { guessTimeZone, type LoopOptions, readTraveler, type TurnEnding } from "./turn-context.ts";
import { LeaseLost } from "./turn-journal.ts";
import { LEFT, type RunningTurn } from "./turn-runner.ts";

const MAXIMUM_OUTPUT_TOKENS = 4_000;
/** Steps in a row in which every call was a mistake of the model. */
const MOST_BAD_STEPS = 3;
const MODEL_ATTEMPTS = 2;
const LONGEST_MODEL_PAUSE_SECONDS = 3;
/** A turn that is taken over again and again, as if it killed its processes, is given up. */
const OLDEST_TURNS = 4;

/** Runs one turn to its end: asks the model, runs or confirms what it calls, and tells it the results, until it only answers. */
export async function runTurn(options: LoopOptions, running: RunningTurn): Promise<void> {
  const { turn, caller } = running;
  const principal = caller?.principal ?? (await options.identity.findPrincipal(turn.keyId, { fresh: true }));
  if (!running.journal.hasStarted) {
    running.journal.emit("turn_started", describeStart(turn));
    await running.journal.flush();
  }
  const loop = new TurnLoop(options, running, principal);
  await loop.run();
}

export function describeStart({
  conversationId,
  id,
  traceId,
  channel,
  locale,
}: Pick<LeasedTurn, "conversationId" | "id" | "traceId" | "channel" | "locale">) {
  return { conversationId, turnId: id, traceId, channel, locale };
}

class TurnLoop {
  readonly #options: LoopOptions;
  readonly #running: RunningTurn;
  readonly #principal: Principal | undefined;
  readonly #begun = performance.now();
  readonly #tokens = { inputTokens: 0, outputTokens: 0 };
  #model: string;
  /** For the loop's own sentences. */
  #locale: string;
  #steps = 0;
  #badSteps = 0;

  constructor(options: LoopOptions, running: RunningTurn, principal: Principal | undefined) {
    this.#options = options;
    this.#model = options.languageModel.name;
    this.#running = running;
    this.#principal = principal;
    this.#locale = running.turn.locale;
  }

  async run(): Promise<void> {
    const ending = await this.#runToEnding();
    const { journal } = this.#running;
    const { status, text, problem } = ending;
    if (text !== undefined) showOwnText(journal, text);
    await journal.end({
      status,
      problem,
      model: { name: this.#model, ...this.#tokens },
      milliseconds: Math.round(performance.now() - this.#begun),
      // Nobody can check the events of a key that is gone.
      signingSecret: this.#principal?.signingSecret ?? "",
    });
  }

  async #runToEnding(): Promise<TurnEnding> {
    const { stop } = this.#running;
    let calls: OpenCalls | undefined;
    try {
      const principal = this.#principal;
      if (principal === undefined) return this.#fail("keyGone", "unauthorized");
      if (this.#isTooOld()) return this.#limit("tooLong");
      const known = await KnownConversation.read(this.#options, this.#running.turn);
      this.#locale = known.chooseLocale(this.#running.turn.locale);
      calls = new OpenCalls(this.#options, this.#running, principal, known);
      if (stop.signal.aborted) throw new Stopped();
      let ending = await calls.goOn();
      while (ending === undefined) ending = await this.#step(known, calls, principal);
      return ending;
    } catch (error) {
      if (error instanceof LeaseLost || isDatabaseAway(error) || stop.signal.reason === LEFT) throw error;
      if (error instanceof Stopped) {
        calls?.withdrawAll();
        return { status: "stopped", text: this.#say("stopped") };
      }
      return this.#explain(error);
    }
  }

  #explain(error: unknown): TurnEnding {
    const { log } = this.#options;
    if (!(error instanceof ModelFailure)) {
      log.error({ err: error, turnId: this.#running.turn.id }, "a turn failed in an unexpected way");
      return this.#fail("modelUnavailable", "internal_error");
    }
    log.warn({ err: error, code: error.code }, "the language model failed");
    if (error.code === "model_misconfigured") return this.#fail("modelMisconfigured", error.code);
    return this.#fail(error.code === "model_nonsense" ? "modelNonsense" : "modelUnavailable", error.code);
  }

  /** One step of the model and its calls. Undefined: the model is to read their results. */
  async #step(known: KnownConversation, calls: OpenCalls, principal: Principal): Promise<TurnEnding | undefined> {
    const { journal } = this.#running;
    const usedUp = findUsedUp(this.#options.budgets, this.#used(), this.#running.turn.spent);
    if (usedUp !== undefined) return this.#limit(usedUp);
    const answer = await this.#ask(await this.#buildRequest(known, principal), known);
    this.#steps += 1;
    this.#tokens.inputTokens += answer.inputTokens;
    this.#tokens.outputTokens += answer.outputTokens;
    this.#model = answer.model ?? this.#model;
    const step: StoredStep = {
      text: answer.text,
      ...(answer.question === undefined ? {} : { question: answer.question.slot }),
    };
    known.own.steps.push(step);
    journal.endStep(step);
    if (answer.calls.length === 0) return this.#endWith(answer);
    const ending = await calls.run(answer.calls);
    this.#badSteps = calls.wereAllMistakes ? this.#badSteps + 1 : 0;
    if (this.#badSteps >= MOST_BAD_STEPS || calls.isRepeating) return this.#fail("repeats", "model_nonsense");
    return ending;
  }

  #endWith({ question, reason }: ModelAnswer): TurnEnding {
    if (reason === "refused") return this.#fail("modelRefused", "model_refused");
    if (question === undefined) return { status: "answered" };
    const { slot, choices } = question;
    this.#running.journal.emit("question", { slot, ...(choices === undefined ? {} : { choices }) });
    return { status: "asked" };
  }

  /** A model that fails before it has shown anything is asked once more. */
  async #ask(request: ModelRequest, known: KnownConversation): Promise<ModelAnswer> {
    const { languageModel: model, modelSilenceMilliseconds: silenceMilliseconds, log } = this.#options;
    const { signal } = this.#running.stop;
    for (let attempt = 1; ; attempt += 1) {
      const shown = new ShownText(
        this.#running.journal,
        known.own.steps.map(({ text }) => text),
      );
      try {
        const answer = await askModel(request, {
          model,
          silenceMilliseconds,
          signal,
          onText: (text) => shown.add(text),
        });
        shown.end();
        return answer;
      } catch (error) {
        const mayRepeat = error instanceof ModelFailure && error.code !== "model_misconfigured" && !shown.hasShown;
        if (!mayRepeat || attempt === MODEL_ATTEMPTS) throw error;
        const seconds = Math.min(error.retryAfterSeconds ?? 0.2, LONGEST_MODEL_PAUSE_SECONDS);
        log.warn({ err: error, code: error.code, seconds }, "the language model is asked again");
        await pause(seconds, signal);
      }
    }
  }

  async #buildRequest(known: KnownConversation, principal: Principal): Promise<ModelRequest> {
    const { languageModel, offeredTools, clock, catalog } = this.#options;
    const { turn } = this.#running;
    const { locale } = turn;
    const now = clock.now();
    const timeZone = guessTimeZone(locale);
    const traveler = await known.traveler(() => readTraveler(this.#options, turn));
    const messages = buildMessages(known.turns);
    const shared = { locale, now, timeZone, traveler, maximumOutputTokens: MAXIMUM_OUTPUT_TOKENS };
    // The rules model knows its tools, and reads no instructions.
    if (languageModel.kind === "rules") return { ...shared, messages, instructions: "", tools: [] };
    const older = summarizeOlder(known.turns);
    return {
      ...shared,
      messages: markUntrusted(catalog, messages),
      instructions: writeInstructions({ locale, timeZone, now, traveler, older, channel: turn.channel }),
      tools: offeredTools.offer(principal.scopes, known.lastTexts(), known.usedTools()),
    };
  }

  #used(): Spent {
    const { inputTokens, outputTokens } = this.#tokens;
    return {
      steps: this.#steps,
      tokens: inputTokens + outputTokens,
      fees: this.#running.journal.price,
      milliseconds: Math.round(performance.now() - this.#begun),
    };
  }

  #isTooOld(): boolean {
    const { turn, isResumed } = this.#running;
    const age = this.#options.clock.now().epochMilliseconds - turn.createdAt.epochMilliseconds;
    return isResumed && age > this.#options.budgets.turn.milliseconds * OLDEST_TURNS;
  }

  #say(name: Parameters<ReturnType<typeof sayEnd>>[0]): string {
    return sayEnd(wordsIn(this.#locale))(name);
  }

  #limit(name: Parameters<ReturnType<typeof sayEnd>>[0]): TurnEnding {
    const detail = this.#say(name);
    return { status: "limit_reached", text: detail, problem: { code: "limit_reached", detail } };
  }

  #fail(name: Parameters<ReturnType<typeof sayEnd>>[0], code: string): TurnEnding {
    const detail = this.#say(name);
    return { status: "failed", text: detail, problem: { code, detail } };
  }
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1_000);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
