import type { LanguageModel as SdkModel, TextStreamPart, ToolSet } from "ai";
import {
  type LanguageModel,
  ModelFailure,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
} from "../../ports/language-model.ts";
import { toPrompt } from "./to-prompt.ts";

export interface GenerativeModelOptions {
  /** Such as `anthropic/claude-sonnet-4-5`. */
  name: string;
  /** Loads the vendor's package, which a start without a model does not pay for. */
  load(): Promise<SdkModel>;
  /** A model that sends nothing new for so long has failed. A vendor's pings are nothing new. */
  stallMilliseconds: number;
}

/** The parts of a stream that show that the model is getting on. */
const PROGRESS: ReadonlySet<string> = new Set(["reasoning-delta", "tool-input-start", "tool-input-delta", "tool-call"]);

/**
 * One step of a model through `ai`: no retries, no tools that run by themselves, no telemetry. Text is passed on as it comes; calls
 * are passed on at the end only, as a stream that breaks off may have left one incomplete.
 */
export function createGenerativeModel({ name, load, stallMilliseconds }: GenerativeModelOptions): LanguageModel {
  async function* step(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const stall = new AbortController();
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const progress = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => stall.abort(), stallMilliseconds);
    };
    const { toModelFailure } = await import("./to-model-failure.ts");
    try {
      progress();
      const abortSignal = AbortSignal.any([signal, stall.signal, ending.signal]);
      for await (const part of readStep(name, await openStream(await load(), request, abortSignal))) {
        yield part;
        // Counted from when the reader is ready for more: a reader that is slow does not make the model late.
        progress();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (stall.signal.aborted) throw new ModelFailure("model_unavailable", `${name} stopped answering`);
      throw toModelFailure(name, error);
    } finally {
      clearTimeout(timer);
      // Ends the request of a caller that stops reading.
      ending.abort();
    }
  }
  return { name, kind: "generative", step };
}

async function openStream(
  model: SdkModel,
  { instructions, messages, tools, maximumOutputTokens }: ModelRequest,
  abortSignal: AbortSignal,
): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
  const { streamText } = await import("ai");
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { fullStream } = streamText({
    model,
    instructions,
    messages: toPrompt(messages),
    tools: await toToolSet(tools),
    maxOutputTokens: maximumOutputTokens,
    maxRetries: 0,
    abortSignal,
    // Without it the package prints errors, and with them what the traveler said.
    onError: () => undefined,
  });
  return fullStream;
}

async function toToolSet(tools: readonly ModelTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import("ai");
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}

async function* readStep(name: string, stream: AsyncIterable<TextStreamPart<ToolSet>>): AsyncIterable<ModelPart> {
  const calls: (ModelPart & { type: "toolCall" })[] = [];
  let hasText = false;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta" && part.text !== "") {
      hasText = true;
      yield { type: "text", text: part.text };
    } else if (PROGRESS.has(part.type)) yield { type: "progress" };
    // Names that were not offered and arguments that are no JSON arrive here too: the caller validates every call.
    if (part.type === "tool-call") {
      calls.push({ type: "toolCall", id: part.toolCallId, name: part.toolName, args: part.input });
    }
    if (part.type !== "finish") continue;
    const { finishReason, totalUsage } = part;
    if (finishReason === "interrupted" || finishReason === "error") break;
    const usage = { inputTokens: totalUsage.inputTokens ?? 0, outputTokens: totalUsage.outputTokens ?? 0 };
    if (finishReason === "content-filter") return yield { type: "end", reason: "refused", usage };
    // The last call of an answer that was cut off lacks its end.
    if (finishReason === "length") return yield { type: "end", reason: "length", usage };
    if (!hasText && calls.length === 0) throw new ModelFailure("model_nonsense", `${name} answered nothing`);
    yield* calls;
    return yield { type: "end", reason: "done", usage };
  }
  throw new ModelFailure("model_unavailable", `${name} broke off its answer`);
}
