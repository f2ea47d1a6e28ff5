import { createAnthropicModel } from "../adapters/anthropic/anthropic-model.ts";
import { createChatModel } from "../adapters/openai-compatible/chat-model.ts";
import { createRulesModel } from "../adapters/rules-model/index.ts";
import type { Config } from "../config/config.ts";
import { createFirstThatAnswers } from "../platform/language-models/first-that-answers.ts";
import type { Clock } from "../ports/clock.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { Log } from "../ports/log.ts";
import type { OutsideCallLog } from "../ports/outside-calls.ts";

/** The longest answer that makes sense has a hundredth of this. */
const MAXIMUM_ANSWER_BYTES = 4 * 1024 * 1024;

/** The configured models in their order, else the built-in rules. */
export function openLanguageModel(
  config: Config,
  parts: { clock: Clock; log: Log; calls: OutsideCallLog },
): LanguageModel {
  const [first, ...others] = config.languageModels.map((choice) => openModel(config, parts.calls, choice));
  return first === undefined ? createRulesModel() : createFirstThatAnswers([first, ...others], parts);
}

function openModel(
  config: Config,
  calls: OutsideCallLog,
  { provider, model }: Config["languageModels"][number],
): LanguageModel {
  const limits = {
    // Earlier than the conversation itself gives up, so that there is time for the next model to begin.
    stallMilliseconds: config.conversationModelSeconds * 800,
    maximumAnswerBytes: MAXIMUM_ANSWER_BYTES,
    calls,
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
      return createRulesModel();
  }
}
