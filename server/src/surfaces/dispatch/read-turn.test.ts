import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/errors.ts";
import { isTurn, listForeignMembers, readTurn } from "./read-turn.ts";

function refusals(read: () => unknown): Record<string, string> {
  try {
    read();
  } catch (error) {
    if (error instanceof Failure)
      return Object.fromEntries(error.issues?.map(({ path, message }) => [path, message]) ?? []);
    throw error;
  }
  return {};
}

const said = { channel: "mcp", locale: "de-AT", tenantId: "tenant_1", userId: "ada", text: "Guten Tag" };

describe("a turn's body", () => {
  it("is read in both forms", () => {
    expect(readTurn({ channel: "web", input: "Hello" })).toMatchObject({
      channel: "web",
      text: "Hello",
      locale: undefined,
    });
    const { text, ...others } = said;
    expect(readTurn({ ...said, conversationId: "cnv_1" })).toEqual({ ...others, text, conversationId: "cnv_1" });
  });

  it("that mixes members names the body to which each belongs", () => {
    expect(
      refusals(() => readTurn({ channel: "web", input: "Hello", locale: "de", text: "Hallo", tools: [] })),
    ).toEqual({
      locale:
        "belongs to a turn with text (channel, locale, tenantId, userId and text); this body is a turn with input (channel and input)",
      text: expect.stringMatching(/^belongs to a turn with text .*; this body is a turn with input/),
      tools: "unknown property",
    });
    expect(refusals(() => readTurn({ ...said, args: {} })).args).toBe(
      "belongs to a tool call (tool and args); this body is a turn with text (channel, locale, tenantId, userId and text)",
    );
    const [foreign] = listForeignMembers({ tool: "x", args: {}, channel: "web" }, "tool");
    expect(foreign?.message).toMatch(
      /^belongs to a turn with input .* or a turn with text .*; this body is a tool call/,
    );
  });

  it.each([
    ["no text", { channel: "web" }, "text"],
    ["an empty text", { channel: "web", input: " \n" }, "input"],
    ["no channel", { input: "Hello" }, "channel"],
    ["an unknown channel", { channel: "whatsap", input: "Hello" }, "channel"],
    ["a locale that is none", { ...said, locale: "no such language" }, "locale"],
    ["a user who is no text", { ...said, userId: 7 }, "userId"],
    ["a long text", { channel: "web", input: "x".repeat(8_001) }, "input"],
    ["a very long text", { channel: "web", input: "x".repeat(100_000) }, "input"],
  ])("with %s is refused", (_, body, path) => {
    expect(Object.keys(refusals(() => readTurn(body)))).toEqual([path]);
  });

  it("has characters, not code units", () => {
    expect(readTurn({ channel: "web", input: "🛫".repeat(8_000) }).text).toHaveLength(16_000);
    expect(refusals(() => readTurn({ channel: "web", input: "🛫".repeat(8_001) }))).toHaveProperty("input");
  });

  it("is told from a tool call by its members", () => {
    expect([{ input: "x" }, { channel: "web" }, { text: "" }].map(isTurn)).toEqual([true, true, true]);
    expect([{}, { tenantId: "t", args: {} }, JSON.parse('{"__proto__":{"text":""}}')].map(isTurn)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
