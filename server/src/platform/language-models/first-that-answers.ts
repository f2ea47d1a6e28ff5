import type { Clock } from "../../ports/clock.ts";
import { type LanguageModel, ModelFailure, type ModelPart, type ModelRequest } from "../../ports/language-model.ts";
import type { Log } from "../../ports/log.ts";
import { Circuit } from "../providers/circuit.ts";

interface Member {
  readonly model: LanguageModel;
  readonly circuit: Circuit;
}

/**
 * Asks the models in order. The next one is asked if one fails before anything of its answer was passed on; afterwards the step
 * fails, as the user has read its beginning. A model that is unavailable again and again is left alone for a while.
 */
export function createFirstThatAnswers(
  models: readonly [LanguageModel, ...LanguageModel[]],
  { clock, log }: { clock: Clock; log: Log },
): LanguageModel {
  const members = models.map((model): Member => ({ model, circuit: new Circuit() }));
  const now = (): number => clock.now().epochMilliseconds;

  async function* step(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    let failure = new ModelFailure(
      "model_unavailable",
      "every language model failed shortly before and is not asked now",
    );
    for (const { model, circuit } of members) {
      if (!circuit.admits(now())) continue;
      let isPassedOn = false;
      try {
        for await (const part of model.step(request, signal)) {
          if (part.type !== "progress") isPassedOn = true;
          yield part.type === "end" ? { model: model.name, ...part } : part;
        }
        circuit.succeeded();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        log.warn({ model: model.name, code: error.code, reason: error.message }, "a language model gave no answer");
        // A refused request or key is no reason to leave a model alone.
        if (error.code === "model_unavailable") circuit.failed(now(), (error.retryAfterSeconds ?? 0) * 1_000);
        if (isPassedOn) throw error;
        failure = error;
        yield { type: "progress" };
      }
    }
    throw failure;
  }

  return { name: models.map(({ name }) => name).join(", "), kind: models[0].kind, step };
}
