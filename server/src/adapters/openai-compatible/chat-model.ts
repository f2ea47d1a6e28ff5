import { createBoundedFetch } from "../../platform/language-models/bounded-fetch.ts";
import { createGenerativeModel } from "../../platform/language-models/generative-model.ts";
import type { LanguageModel } from "../../ports/language-model.ts";
import type { OutsideCallLog } from "../../ports/outside-calls.ts";

interface ChatModelOptions {
  /** Stands before the model's name, such as `openai`. */
  provider: string;
  model: string;
  /** The API's base address including its version, such as `https://api.openai.com/v1`. */
  url: string;
  /** Undefined: the endpoint requires none, such as one in the operator's own network. */
  apiKey: string | undefined;
  stallMilliseconds: number;
  maximumAnswerBytes: number;
  calls: OutsideCallLog;
}

/** OpenAI's own reasoning models refuse the older name, which is all that most other servers know. */
const OWN_HOST = "api.openai.com";

/** A model behind an OpenAI-compatible chat completions endpoint. */
export function createChatModel(options: ChatModelOptions): LanguageModel {
  const { provider, model, url, apiKey, stallMilliseconds, maximumAnswerBytes, calls } = options;
  const isOpenAi = new URL(url).hostname === OWN_HOST;
  return createGenerativeModel({
    name: `${provider}/${model}`,
    stallMilliseconds,
    async load() {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const connect = createOpenAICompatible({
        name: provider,
        baseURL: url,
        includeUsage: true,
        fetch: createBoundedFetch(maximumAnswerBytes, calls),
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(isOpenAi ? { transformRequestBody: renameMaximum } : {}),
      });
      return connect(model);
    },
  });
}

const renameMaximum = ({ max_tokens, ...body }: Record<string, unknown>) => ({
  ...body,
  max_completion_tokens: max_tokens,
});
