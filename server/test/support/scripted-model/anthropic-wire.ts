import { z } from "zod";
import { cutArguments, type Reply, USAGE } from "./model-answer.ts";
import type { SeenMessage, SeenStep } from "./seen-step.ts";

const Block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string().regex(/\S/u) }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string().regex(/^[\w-]+$/u),
    name: z.string(),
    input: z.looseObject({}),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]),
    is_error: z.boolean().optional(),
  }),
]);
type Block = z.infer<typeof Block>;

const Body = z.object({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.literal(true),
  system: z.array(z.object({ type: z.literal("text"), text: z.string() })).optional(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.array(Block).min(1) })).min(1),
  tools: z.array(z.object({ name: z.string(), input_schema: z.looseObject({ type: z.literal("object") }) })).optional(),
});

/** Throws if Anthropic would answer 400. */
export function readAnthropic(body: unknown): SeenStep {
  const { model, max_tokens: maximumTokens, system = [], messages, tools = [] } = Body.parse(body);
  let open: string[] = [];
  for (const { role, content } of messages) {
    const results = content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    if (open.join() !== results.join()) throw new Error("tool_use ids were found without tool_result blocks");
    open = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (open.length > 0 && role === "user") throw new Error("a user calls no tools");
  }
  if (open.length > 0) throw new Error("the last calls have no results");
  return {
    wire: "anthropic",
    model,
    maximumTokens,
    instructions: system.map(({ text }) => text).join("\n"),
    tools: tools.map(({ name }) => name),
    messages: messages.map(({ role, content }) => toSeen(role, content)),
  };
}

function toSeen(role: "user" | "assistant", content: readonly Block[]): SeenMessage {
  return {
    role,
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, args: block.input }] : [])),
    results: content.flatMap((block) => (block.type === "tool_result" ? [readResult(block)] : [])),
  };
}

const readResult = ({ content }: Block & { type: "tool_result" }): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

const STOP = { done: "end_turn", length: "max_tokens", refused: "refusal" };

export function renderAnthropic({ text = [], calls = [], end = "done" }: Reply): readonly string[] {
  const { inputTokens, outputTokens } = USAGE;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
  };
  const events: { type: string; [name: string]: unknown }[] = [
    { type: "message_start", message: { ...message, usage: { input_tokens: inputTokens, output_tokens: 1 } } },
    { type: "ping" },
  ];
  let index = 0;
  const addBlock = (content_block: object, deltas: readonly object[]) => {
    events.push({ type: "content_block_start", index, content_block });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    index += 1;
  };
  if (text.length > 0) {
    addBlock(
      { type: "text", text: "" },
      text.map((piece) => ({ type: "text_delta", text: piece })),
    );
  }
  for (const { name, args } of calls) {
    const deltas = cutArguments(args).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    addBlock({ type: "tool_use", id: `toolu_${index}`, name, input: {} }, deltas);
  }
  const stop_reason = end === "done" && calls.length > 0 ? "tool_use" : STOP[end];
  events.push(
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: outputTokens } },
    { type: "message_stop" },
  );
  return events.map(renderEvent);
}

const renderEvent = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const ANTHROPIC_PING = renderEvent({ type: "ping" });

export function renderAnthropicError(type: string): string {
  const event = { type: "error", error: { type, message: "scripted" } };
  return renderEvent(event);
}
