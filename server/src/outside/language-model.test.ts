import { afterEach, expect, it } from "vitest";
import type { ModelAnswer } from "../../test/support/scripted-model/model-answer.ts";
import { startScriptedModel } from "../../test/support/scripted-model/scripted-model.ts";
import { readConfig } from "../config/config.ts";
import type { ModelPart } from "../ports/language-model.ts";
import { openLanguageModel } from "./language-model.ts";

const open: { close(): Promise<void> }[] = [];
const logged: string[] = [];
afterEach(async () => {
  logged.length = 0;
  for (const one of open.splice(0)) await one.close();
});

const START = Temporal.Instant.from("2026-11-27T09:00:00Z");

/** A model of each wire that is configured, `anthropic/first` before `openai/second`, with their answers by the number of the request. */
async function openBoth(answers: { first(turn: number): ModelAnswer; second(turn: number): ModelAnswer }) {
  const first = await startScriptedModel((_step, turn) => answers.first(turn));
  const second = await startScriptedModel((_step, turn) => answers.second(turn));
  open.push(first, second);
  const config = readConfig({
    LANGUAGE_MODELS: "anthropic/first, openai/second",
    ANTHROPIC_API_KEY: "secret-1",
    ANTHROPIC_URL: `${first.url}/`,
    OPENAI_API_KEY: "secret-2",
    OPENAI_URL: second.url,
  });
  let now = START;
  const keep = (fields: unknown, message: string) => void logged.push(`${JSON.stringify(fields)} ${message}`);
  const model = openLanguageModel(config, {
    clock: { now: () => now },
    log: { info: keep, warn: keep, error: keep },
    calls: { record: () => undefined },
  });
  async function ask(): Promise<ModelPart[] | string> {
    const parts: ModelPart[] = [];
    try {
      const request = {
        instructions: "",
        locale: "en",
        now,
        timeZone: "UTC",
        traveler: { userId: "user_demo", companions: [] },
        messages: [{ role: "user", text: "Hello from Tess", at: now }],
        tools: [],
        maximumOutputTokens: 100,
      } as const;
      for await (const part of model.step(request, new AbortController().signal)) {
        if (part.type !== "progress") parts.push(part);
      }
    } catch (error) {
      return `${parts.length} parts, then ${error}`;
    }
    return parts;
  }
  return { model, ask, first, second, wait: (seconds: number) => (now = now.add({ seconds })) };
}

const usage = { inputTokens: 11, outputTokens: 7 };

it("asks the first model, and the next one if it fails before it has said anything", async () => {
  const { ask, model } = await openBoth({
    first: (turn) => (turn === 1 ? { text: ["One"] } : { status: 529 }),
    second: () => ({ text: ["Two"] }),
  });
  expect(model).toMatchObject({ name: "anthropic/first, openai/second", kind: "generative" });
  expect(await ask()).toEqual([
    { type: "text", text: "One" },
    { type: "end", reason: "done", usage, model: "anthropic/first" },
  ]);
  expect(await ask()).toEqual([
    { type: "text", text: "Two" },
    { type: "end", reason: "done", usage, model: "openai/second" },
  ]);
  expect(logged.join()).toMatch(/anthropic\/first.*model_unavailable/);
  expect(logged.join()).not.toMatch(/secret|Tess/);
});

it("asks no other model once text was passed on, so that nobody reads two answers", async () => {
  const { ask, second } = await openBoth({
    first: () => ({ errorEvent: "overloaded_error", text: "Half" }),
    second: () => ({ text: ["Two"] }),
  });
  expect(await ask()).toMatch(/^1 parts, then ModelFailure: anthropic\/first/);
  expect(second.steps).toHaveLength(0);
});

it("leaves a model alone that keeps failing, and tries it again later", async () => {
  const { ask, first, wait } = await openBoth({
    first: (turn) => (turn <= 3 ? { status: 503 } : { text: ["Back"] }),
    second: () => ({ text: ["Two"] }),
  });
  for (let asked = 0; asked < 5; asked += 1) expect(await ask()).toMatchObject([{ text: "Two" }, {}]);
  expect(first.steps).toHaveLength(3);
  wait(31);
  expect(await ask()).toMatchObject([{ text: "Back" }, {}]);
});

it("leaves a model alone for as long as it asks for", async () => {
  const { ask, first, wait } = await openBoth({
    first: () => ({ status: 429, headers: { "retry-after": "120" } }),
    second: () => ({ text: ["Two"] }),
  });
  await ask();
  wait(119);
  await ask();
  expect(first.steps).toHaveLength(1);
  wait(2);
  await ask();
  expect(first.steps).toHaveLength(2);
});

it("fails with the last failure if no model answers", async () => {
  const { ask } = await openBoth({ first: () => ({ status: 529 }), second: () => ({ status: 401 }) });
  expect(await ask()).toBe("0 parts, then ModelFailure: openai/second answered with status 401");
});

it.each([
  [{ LANGUAGE_MODELS: "anthropic/m" }, "LANGUAGE_MODELS names a model of anthropic, which needs ANTHROPIC_API_KEY"],
  [{ LANGUAGE_MODELS: "server/m" }, "needs MODEL_SERVER_URL"],
  [{ LANGUAGE_MODELS: "claude" }, "LANGUAGE_MODELS must be models such as"],
  [{ LANGUAGE_MODELS: "rules/m" }, "LANGUAGE_MODELS must be models such as"],
  [{ LANGUAGE_MODELS: "openai/a,openai/a", OPENAI_API_KEY: "k" }, "LANGUAGE_MODELS names a model twice"],
])("does not start with %j", (environment, problem) => {
  expect(() => readConfig(environment)).toThrow(problem);
});
