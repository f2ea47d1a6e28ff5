import { afterEach, describe, expect, it } from "vitest";
import type { ModelAnswer } from "../../test/support/scripted-model/model-answer.ts";
import { startScriptedModel } from "../../test/support/scripted-model/scripted-model.ts";
import { createAnthropicModel } from "../adapters/anthropic/anthropic-model.ts";
import { createChatModel } from "../adapters/openai-compatible/chat-model.ts";
import type { LanguageModel, ModelMessage, ModelPart, ModelRequest } from "../ports/language-model.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type Script = Parameters<typeof startScriptedModel>[0];
const limits = { stallMilliseconds: 10_000, maximumAnswerBytes: 500_000, calls: { record: () => undefined } };
const WIRES = {
  anthropic: (url: string, own: Partial<typeof limits>): LanguageModel =>
    createAnthropicModel({ model: "m-1", apiKey: "key-1", url, ...limits, ...own }),
  openai: (url: string, own: Partial<typeof limits>): LanguageModel =>
    createChatModel({ provider: "openai", model: "m-1", apiKey: "key-1", url, ...limits, ...own }),
};

const AT = Temporal.Instant.from("2026-11-27T09:00:00Z");
const said = (text: string): ModelMessage => ({ role: "user", text, at: AT });
const request = (messages: readonly ModelMessage[] = [said("Hello")]): ModelRequest => ({
  instructions: "Be brief.",
  locale: "en",
  now: AT,
  timeZone: "UTC",
  traveler: { userId: "user_demo", companions: [] },
  messages,
  tools: [{ name: "search_flights", description: "Finds flights.", inputSchema: { type: "object", properties: {} } }],
  maximumOutputTokens: 500,
});

async function collect(
  model: LanguageModel,
  asked: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<{ parts: ModelPart[]; failure: unknown }> {
  const parts: ModelPart[] = [];
  try {
    for await (const part of model.step(asked, signal)) parts.push(part);
  } catch (failure) {
    return { parts, failure };
  }
  return { parts, failure: undefined };
}

describe.each(["anthropic", "openai"] as const)("the wire of %s", (wire) => {
  async function run(answer: ModelAnswer | Script, own: Partial<typeof limits> = {}, asked?: ModelRequest) {
    const server = await startScriptedModel(typeof answer === "function" ? answer : () => answer);
    open.push(server);
    const model = WIRES[wire](server.url, own);
    return { ...(await collect(model, asked)), server, model };
  }

  it("streams text, then calls with their arguments, and ends with the tokens used", async () => {
    const calls = [
      { name: "search_flights", args: { origin: "FRA", destination: "LIS" } },
      { name: "a_tool_that_was_not_offered", args: { list: [1, "two"] } },
      { name: "search_flights", args: '{"origin": "FR' },
    ];
    const { parts, failure, server, model } = await run({ text: ["I look ", "for flights."], calls });
    expect(failure).toBeUndefined();
    expect(parts.filter(({ type }) => type !== "progress")).toEqual([
      { type: "text", text: "I look " },
      { type: "text", text: "for flights." },
      ...calls.map((call) => ({ type: "toolCall", id: expect.any(String), ...call })),
      { type: "end", reason: "done", usage: { inputTokens: 11, outputTokens: 7 } },
    ]);
    expect(model).toMatchObject({ name: `${wire}/m-1`, kind: "generative" });
    expect(server.steps).toMatchObject([
      { wire, model: "m-1", maximumTokens: 500, instructions: "Be brief.", tools: ["search_flights"] },
    ]);
    expect(server.keys.join()).toContain("key-1");
  });

  it("sends a history that the endpoint accepts: results beside their calls, no blank texts", async () => {
    const history: ModelMessage[] = [
      said("Book it"),
      { role: "assistant", text: "", toolCalls: [{ id: "tcl_1", name: "book_flight", args: "{half" }] },
      said("yes"),
      { role: "tools", results: [{ id: "tcl_1", name: "book_flight", outcome: "declined", result: null }] },
      { role: "assistant", text: " ", toolCalls: [] },
      { role: "assistant", text: "And?", toolCalls: [{ id: "tcl_2", name: "search_flights", args: {} }] },
      said("  "),
      said("Go on"),
    ];
    const { failure, server } = await run({ text: ["Done."] }, {}, request(history));
    expect(failure).toBeUndefined();
    const results = server.steps.flatMap(({ messages }) => messages.flatMap((message) => message.results));
    expect(results).toEqual([expect.stringContaining("declined"), "This call has not run."]);
  });

  const faults: Record<string, [ModelAnswer, object, Partial<typeof limits>?]> = {
    "a busy endpoint": [
      { status: 429, headers: { "retry-after": "7" } },
      { code: "model_unavailable", retryAfterSeconds: 7 },
    ],
    "an overloaded endpoint": [{ status: 529 }, { code: "model_unavailable" }],
    "an error of the server": [{ status: 500 }, { code: "model_unavailable" }],
    "a refused key": [{ status: 401 }, { code: "model_misconfigured" }],
    "an unknown model": [{ status: 404 }, { code: "model_misconfigured" }],
    "a refused request": [{ status: 400 }, { code: "model_misconfigured" }],
    "a redirect": [{ status: 307, headers: { location: "http://127.0.0.1:9/" } }, { code: "model_unavailable" }],
    "a reset connection": [{ fault: "reset" }, { code: "model_unavailable" }],
    "no answer": [{ fault: "hang" }, { code: "model_unavailable" }, { stallMilliseconds: 60 }],
    "pings without progress": [{ pings: true }, { code: "model_unavailable" }, { stallMilliseconds: 120 }],
    "a page in place of a stream": [{ raw: "<html>Sign in</html>" }, { code: "model_unavailable" }],
    "events that are no JSON": [{ raw: "data: {nonsense\n\n" }, { code: "model_nonsense" }],
    "events of another API": [{ raw: 'data: {"surprise":[1,2]}\n\n' }, { code: "model_nonsense" }],
    "an empty answer": [{ text: [] }, { code: "model_nonsense" }],
    "too long an answer": [{ floodBytes: 2_000_000 }, { code: "model_nonsense" }],
    "an overload within the stream": [{ errorEvent: "overloaded_error", text: "One" }, { code: "model_unavailable" }],
  };
  it.each(Object.entries(faults))("says of %s what failed, and nothing of the vendor's words", async (_name, fault) => {
    const [answer, expected, own] = fault;
    const { failure } = await run(answer, own);
    expect(failure).toMatchObject({ name: "ModelFailure", ...expected });
    expect(String(failure)).not.toMatch(/scripted|key-1|Hello/u);
  });

  it("says that the model refused", async () => {
    const { parts } = await run({ text: ["I can"], end: "refused" });
    expect(parts.at(-1)).toMatchObject({ type: "end", reason: "refused" });
  });

  it("gives no calls of an answer that reached its maximum length", async () => {
    const { parts } = await run({ text: ["Two"], calls: [{ name: "search_flights", args: '{"or' }], end: "length" });
    expect(new Set(parts.map(({ type }) => type))).toEqual(new Set(["text", "progress", "end"]));
    expect(parts.at(-1)).toMatchObject({ reason: "length" });
  });

  it.each(["break", "end"] as const)(
    "gives no call and no end of an answer that is cut at any byte (%s)",
    async (how) => {
      const reply = { text: ["Fine."], calls: [{ name: "book_flight", args: { offerId: "off_1", note: "ü" } }] };
      let bytes = 0;
      const server = await startScriptedModel(() => ({ cut: bytes, how, reply }));
      open.push(server);
      const model = WIRES[wire](server.url, {});
      let seen = { calls: 0, ends: 0 };
      for (; seen.ends === 0; bytes += 113) {
        const { parts, failure } = await collect(model);
        seen = {
          calls: parts.filter(({ type }) => type === "toolCall").length,
          ends: parts.filter(({ type }) => type === "end").length,
        };
        if (failure === undefined) continue;
        expect(failure, `after ${bytes} bytes`).toMatchObject({ name: "ModelFailure" });
        expect(seen, `after ${bytes} bytes`).toEqual({ calls: 0, ends: 0 });
      }
      expect(seen).toEqual({ calls: 1, ends: 1 });
      expect(bytes).toBeGreaterThan(400);
    },
  );

  it("ends the request when its reader leaves or its signal is aborted", async () => {
    const server = await startScriptedModel(() => ({ pings: true }));
    open.push(server);
    const model = WIRES[wire](server.url, {});
    for await (const part of model.step(request(), new AbortController().signal)) {
      expect(part.type).toBe("text");
      break;
    }
    await expect.poll(server.left).toBe(1);
    const abort = new AbortController();
    const collected = collect(model, request(), abort.signal);
    await expect.poll(() => server.steps.length).toBe(2);
    abort.abort(new Error("stopped by the user"));
    expect((await collected).failure).toMatchObject({ message: "stopped by the user" });
    await expect.poll(server.left).toBe(2);
  });
});
