import type { GetPromptResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { type Prompt as PromptDefinition, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { nearest } from "../../domain/near-match.ts";
import type { Prompt } from "../../kernel/contracts/prompt.ts";
import type { Clock } from "../../ports/clock.ts";
import type { McpExtras } from "./extras.ts";

type Given = Readonly<Record<string, string>>;

export interface PromptList {
  readonly list: PromptDefinition[];
  /** Throws the protocol's error for an unknown prompt and for invalid arguments. */
  get(name: string, given: Given, context: ServerContext): Promise<GetPromptResult | InputRequiredResult>;
}

export function createPromptList(prompts: readonly Prompt[], extras: McpExtras | undefined, clock: Clock): PromptList {
  const offered = new Map<string, McpExtras["prompts"][number]>(
    prompts.map((prompt) => [prompt.name, { definition: define(prompt), get: async (given) => fill(prompt, given) }]),
  );
  for (const extra of extras?.prompts ?? []) offered.set(extra.definition.name, extra);

  function fill(prompt: Prompt, given: Given): GetPromptResult {
    const problem = problemWith(prompt, given);
    if (problem !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
    const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
    // An empty form field counts as omitted.
    const text = prompt.render((name) => (given[name] === "" ? undefined : given[name]), today);
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
  }

  return {
    list: [...offered.values()].map(({ definition }) => definition),
    async get(name, given, context) {
      const prompt = offered.get(name);
      if (prompt !== undefined) return prompt.get(given, context);
      const near = nearest(name, [...offered.keys()]);
      const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt with this name.${hint}`);
    },
  };
}

function define({ name, title, description, arguments: wanted }: Prompt): PromptDefinition {
  return { name, title, description, arguments: wanted.map((argument) => ({ ...argument })) };
}

function problemWith({ arguments: wanted }: Prompt, given: Given): string | undefined {
  const missing = wanted.find(({ name, required }) => required && (given[name] ?? "") === "");
  if (missing !== undefined) return `The argument "${missing.name}" is missing: ${missing.description}`;
  const names = wanted.map(({ name }) => name);
  const stray = Object.keys(given).find((name) => !names.includes(name));
  if (stray === undefined) return undefined;
  const near = nearest(stray, names);
  return `The prompt has no argument "${stray}".${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}
