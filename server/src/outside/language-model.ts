import { createAnthropicModel } from "../adapters/anthropic/anthropic-model.ts";
import { createChatModel } from "../adapters/openai-compatible/chat-model.ts";
import type { Config } from "../config/config.ts";
import { createFirstThatAnswers } from "../platform/language-models/first-that-answers.ts";
import type { Clock } from "../ports/clock.ts";
import { type LanguageModel, ModelFailure } from "../ports/language-model.ts";
import type { Log } from "../ports/log.ts";

/** The longest answer that makes sense has a hundredth of this. */
const MAXIMUM_ANSWER_BYTES = 4 * 1024 * 1024;

/** The configured models in their order, else the built-in rules. */
export function openLanguageModel(config: Config, parts: { clock: Clock; log: Log }): LanguageModel {
  const [first, ...others] = config.languageModels.map((choice) => openModel(config, choice));
  return first === undefined ? openRules() : createFirstThatAnswers([first, ...others], parts);
}

function openModel(config: Config, { provider, model }: Config["languageModels"][number]): LanguageModel {
  const limits = {
    // Earlier than the conversation itself gives up, so that there is time for the next model to begin.
    stallMilliseconds: config.conversationModelSeconds * 800,
    maximumAnswerBytes: MAXIMUM_ANSWER_BYTES,
  };
  switch (provider) {
    case "anthropic":
      return createAnthropicModel({ model, apiKey: config.anthropicKey ?? "", url: config.anthropicUrl, ...limits });
    case "openai": {
      const url = config.openaiUrl ?? "https://api.openai.com/v1";
      return createChatModel({ provider, model, url, apiKey: config.openaiKey, ...limits });
    }
    case "server":
      return createChatModel({
        provider,
        model,
        url: config.modelServerUrl ?? "",
        apiKey: config.modelServerKey,
        ...limits,
      });
    case "rules":
      return openRules();
  }
}

/** No rules are part of the product yet: each turn says so. */
function openRules(): LanguageModel {
  return {
    name: "none",
    kind: "rules",
    // biome-ignore lint/correctness/useYield: it fails before its first part.
    async *step() {
      throw new ModelFailure("model_misconfigured", "No language model is configured.");
    },
  };
}
