import type { ModelMessage as PromptMessage } from "ai";
import type { ModelMessage, ModelToolCall, ModelToolResult } from "../../ports/language-model.ts";

/**
 * The history as chat endpoints accept it. They refuse blank texts, and calls whose results do not follow at once: a result that
 * came later, such as after a confirmation, is moved to its call.
 */
export function toPrompt(messages: readonly ModelMessage[]): PromptMessage[] {
  const results = new Map<string, ModelToolResult>();
  for (const message of messages) {
    if (message.role === "tools") for (const result of message.results) results.set(result.id, result);
  }
  return messages.flatMap((message): PromptMessage[] => {
    if (message.role === "tools") return [];
    if (message.role === "assistant") return showAssistant(message.text, message.toolCalls, results);
    return isBlank(message.text) ? [] : [{ role: "user", content: message.text }];
  });
}

function showAssistant(
  text: string,
  toolCalls: readonly ModelToolCall[],
  results: ReadonlyMap<string, ModelToolResult>,
): PromptMessage[] {
  const said = isBlank(text) ? [] : [{ type: "text", text } as const];
  if (toolCalls.length === 0) return said.length === 0 ? [] : [{ role: "assistant", content: said }];
  const calls = toolCalls.map(({ id, name, args }) => {
    return { type: "tool-call", toolCallId: id, toolName: name, input: toInput(args) } as const;
  });
  const answers = toolCalls.map(({ id, name }) => {
    return { type: "tool-result", toolCallId: id, toolName: name, output: toOutput(results.get(id)) } as const;
  });
  return [
    { role: "assistant", content: [...said, ...calls] },
    { role: "tool", content: answers },
  ];
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Endpoints accept objects only. */
const toInput = (args: unknown): object =>
  typeof args === "object" && args !== null && !Array.isArray(args) ? args : { unreadable: args };

function toOutput(result: ModelToolResult | undefined) {
  if (result === undefined) return { type: "error-text", value: "This call has not run." } as const;
  if (result.outcome === "ok") return { type: "text", value: JSON.stringify(result.result ?? null) } as const;
  return { type: "error-text", value: JSON.stringify({ outcome: result.outcome, result: result.result }) } as const;
}
