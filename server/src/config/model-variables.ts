import { http, text, url, withDefault } from "./values.ts";

const MODEL_PROVIDERS = ["anthropic", "openai", "server", "rules"] as const;

/** A model of a conversation, such as `anthropic/claude-sonnet-4-5`. */
interface ModelChoice {
  provider: (typeof MODEL_PROVIDERS)[number];
  model: string;
}

/** Comma-separated; `rules` stands alone, every other provider before the name of a model. */
function readModelChoices(value: string): readonly ModelChoice[] {
  const names = value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const choices = names.map((name) => {
    const [, prefix = "", model = ""] = /^([a-z]+)(?:\/(\S{1,200}))?$/.exec(name) ?? [];
    const provider = MODEL_PROVIDERS.find((candidate) => candidate === prefix);
    if (provider === undefined || (provider === "rules") !== (model === "")) {
      throw new Error(
        "must be models such as anthropic/claude-sonnet-4-5, openai/gpt-5, server/qwen3 or rules, separated by commas",
      );
    }
    return { provider, model };
  });
  if (new Set(names).size === names.length) return choices;
  throw new Error("names a model twice");
}

/** The language models that answer conversations. */
export const modelVariables = {
  languageModels: withDefault(
    "LANGUAGE_MODELS",
    "",
    "Comma-separated language models that answer conversations, in this order, such as `anthropic/claude-sonnet-4-5,openai/gpt-5`; if one fails before it has said anything, the next one is asked. The part before the slash is `anthropic`, `openai` or `server`, whose URLs and keys are below. `rules` stands for the built-in rules. Conversations are sent to the models' vendors. Unset: `rules`, and nothing leaves the service.",
    readModelChoices,
  ),
  anthropicKey: text("ANTHROPIC_API_KEY", "API key for models named `anthropic/…`."),
  anthropicUrl: url(
    "ANTHROPIC_URL",
    http,
    "Base URL of an API like Anthropic's, including its version, for models named `anthropic/…`. Unset: `https://api.anthropic.com/v1`.",
  ),
  openaiKey: text("OPENAI_API_KEY", "API key for models named `openai/…`."),
  openaiUrl: url(
    "OPENAI_URL",
    http,
    "Base URL of an OpenAI-compatible chat completions API, including its version, for models named `openai/…`. Unset: `https://api.openai.com/v1`.",
  ),
  modelServerUrl: url(
    "MODEL_SERVER_URL",
    http,
    "Base URL of another OpenAI-compatible chat completions API, such as your own server's `http://127.0.0.1:11434/v1`, for models named `server/…`.",
  ),
  modelServerKey: text("MODEL_SERVER_KEY", "API key for that API. Unset: none is sent."),
};

type ModelSettings = { [Name in keyof typeof modelVariables]: ReturnType<(typeof modelVariables)[Name]["read"]> };

/** Each model needs what its provider asks for. */
export function modelProblems(settings: ModelSettings): string[] {
  const needs = {
    anthropic: ["ANTHROPIC_API_KEY", settings.anthropicKey],
    openai: ["OPENAI_API_KEY", settings.openaiKey],
    server: ["MODEL_SERVER_URL", settings.modelServerUrl],
    rules: ["", ""],
  } as const;
  const used = [...new Set(settings.languageModels.map(({ provider }) => provider))];
  return used.flatMap((provider) => {
    const [name, value] = needs[provider];
    return value === undefined ? [`LANGUAGE_MODELS names a model of ${provider}, which needs ${name}`] : [];
  });
}
