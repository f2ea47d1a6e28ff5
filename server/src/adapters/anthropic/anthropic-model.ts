import { createBoundedFetch } from "../../platform/language-models/bounded-fetch.ts";
import { createGenerativeModel } from "../../platform/language-models/generative-model.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { OutsideCallLog } from "../../ports/outside-calls.ts";

interface AnthropicOptions {
  model: string;
  apiKey: string;
  /** The API's base address including its version; undefined: Anthropic's own. */
  url: string | undefined;
  stallMilliseconds: number;
  maximumAnswerBytes: number;
  calls: OutsideCallLog;
}

/** A model behind the Messages API of Anthropic. */
export function createAnthropicModel(options: AnthropicOptions): LanguageModel {
  const { model, apiKey, url, stallMilliseconds, maximumAnswerBytes, calls } = options;
  return createGenerativeModel({
    name: `anthropic/${model}`,
    stallMilliseconds,
    async load() {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const baseURL = url ?? "https://api.anthropic.com/v1";
      return createAnthropic({ apiKey, baseURL, fetch: createBoundedFetch(maximumAnswerBytes, calls) })(model);
    },
  });
}
