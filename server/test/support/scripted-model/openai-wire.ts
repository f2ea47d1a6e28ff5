import { z } from "zod";
import { cutArguments, type Reply, USAGE } from "./model-answer.ts";
import type { SeenMessage, SeenStep } from "./seen-step.ts";

const Call = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content: z.string().min(1) }),
  z.object({ role: z.literal("assistant"), content: z.string().nullish(), tool_calls: z.array(Call).optional() }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);
type Message = z.infer<typeof Message>;

const Body = z.object({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.literal(true),
  messages: z.array(Message).min(1),
  tools: z.array(z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) })).optional(),
});

/** Throws if OpenAI would answer 400. */
export function readOpenAi(body: unknown): SeenStep {
  const { model, max_tokens: maximumTokens, messages, tools = [] } = Body.parse(body);
  const open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool" && message.tool_call_id !== open.shift()) throw new Error("a result without its call");
    if (message.role !== "tool" && open.length > 0) throw new Error("a call without its result");
    if (message.role === "assistant") open.push(...(message.tool_calls ?? []).map(({ id }) => id));
  }
  if (open.length > 0) throw new Error("the last calls have no results");
  return {
    wire: "openai",
    model,
    maximumTokens,
    instructions: messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n"),
    tools: tools.map((one) => one.function.name),
    messages: messages.flatMap(toSeen),
  };
}

function toSeen(message: Message): SeenMessage[] {
  if (message.role === "system") return [];
  if (message.role === "tool") return [{ role: "user", text: "", calls: [], results: [message.content] }];
  const text = message.content ?? "";
  if (message.role === "user") return [{ role: "user", text, calls: [], results: [] }];
  const calls = (message.tool_calls ?? []).map((call): { name: string; args: unknown } => {
    return { name: call.function.name, args: JSON.parse(call.function.arguments) };
  });
  return [{ role: "assistant", text, calls, results: [] }];
}

const STOP = { done: "stop", length: "length", refused: "content_filter" };

export function renderOpenAi({ text = [], calls = [], end = "done" }: Reply): readonly string[] {
  const { inputTokens, outputTokens } = USAGE;
  const chunks: object[] = [choice({ role: "assistant", content: "" }), ...text.map((content) => choice({ content }))];
  for (const [index, { name, args }] of calls.entries()) {
    const [first = "", ...rest] = cutArguments(args);
    const opening = { index, id: `call_${index}`, type: "function", function: { name, arguments: first } };
    chunks.push(choice({ tool_calls: [opening] }));
    for (const piece of rest) chunks.push(choice({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  chunks.push(choice({}, end === "done" && calls.length > 0 ? "tool_calls" : STOP[end]));
  const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens };
  chunks.push({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [], usage });
  return [...chunks.map(renderChunk), "data: [DONE]\n\n"];
}

function choice(delta: object, finish_reason: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason }];
  return { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted", choices };
}

const renderChunk = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Servers send comments to keep a connection open. */
export const OPENAI_PING = ": ping\n\n";

export function renderOpenAiError(type: string): string {
  const error = { type, message: "scripted", code: null, param: null };
  return renderChunk({ error });
}
