import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { programAt } from "../../../test/support/programs.ts";
import type { ModelAnswer } from "../../../test/support/scripted-model/model-answer.ts";
import { startScriptedModel } from "../../../test/support/scripted-model/scripted-model.ts";
import { dropSandboxDatabase } from "../../../test/support/service.ts";
import { createTestDatabase } from "../../../test/support/test-database.ts";
import { findFreePort } from "../../embedded/free-port.ts";

/** Two processes on one DATA_DIR and database, and a model that both ask over HTTP. */

interface Running {
  child: ChildProcess;
  url: string;
}

const dataDir = mkdtempSync(join(tmpdir(), "wayfare-talk-"));
const children: ChildProcess[] = [];
/** By the first message of a conversation: the answers to the requests of the model, in their order. */
const scripts = new Map<string, (() => ModelAnswer | Promise<ModelAnswer>)[]>();
let asked: string[] = [];
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let one: Running;
let other: Running;
let apiKey = "";

beforeAll(async () => {
  database = await createTestDatabase();
  model = await startScriptedModel(({ messages }) => {
    const first = messages[0]?.text ?? "";
    asked.push(first);
    return scripts.get(first)?.shift()?.() ?? { text: ["Done."] };
  });
  one = await start();
  other = await start();
  ({ apiKey } = z
    .object({ apiKey: z.string() })
    .parse(JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"))));
});

afterAll(async () => {
  await Promise.all(children.map(end));
  await model?.close();
  if (database !== undefined) {
    await dropSandboxDatabase(database.url);
    await database.drop();
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  await ended;
}

async function start(): Promise<Running> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [programAt("server/src/main.ts")], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(port),
      EDGE_PORT: String(await findFreePort()),
      LANGUAGE_MODELS: "server/scripted",
      MODEL_SERVER_URL: model.url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  child.stderr.on("data", (text) => {
    output += text;
  });
  const ready = Promise.withResolvers<void>();
  child.stdout.on("data", (text) => {
    output += text;
    if (/Wayfare is ready/.test(output)) ready.resolve();
  });
  child.once("close", (code) => ready.reject(new Error(`It ended with ${code}: ${output}`)));
  await ready.promise;
  return { child, url: `http://127.0.0.1:${port}` };
}

const say = (at: Running, input: string, conversationId?: string) =>
  fetch(`${at.url}/api/agent/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: "web", input, ...(conversationId === undefined ? {} : { conversationId }) }),
  });

const follow = (at: Running, conversationId: string) =>
  fetch(`${at.url}/api/conversations/${conversationId}/events?after=0`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });

const readLines = async (response: Response) => (await response.text()).trim().split("\n");
const types = (lines: readonly string[]) =>
  lines.map((line) => z.object({ type: z.string() }).parse(JSON.parse(line)).type);

/** The first event, while the turn goes on. */
async function readStart(response: Response): Promise<{ conversationId: string }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) text += (await reader?.read())?.value ?? "";
  void reader?.read().catch(() => undefined);
  return z.object({ conversationId: z.string() }).parse(JSON.parse(text.slice(0, text.indexOf("\n"))));
}

const look: ModelAnswer = {
  text: ["I look. "],
  calls: [{ name: "find_airports_nearby", args: { query: "Lisbon" } }],
};
const isAsked = (text: string, times: number) =>
  vi.waitUntil(() => asked.filter((first) => first === text).length >= times, { timeout: 60_000, interval: 20 });

it("two messages at once, one at each process, are two turns one after the other", async () => {
  const { conversationId } = await readStart(await say(one, "Hello, both"));
  const answers = await Promise.all([say(one, "First?", conversationId), say(other, "Second?", conversationId)]);
  for (const answer of answers) expect((await readLines(answer)).at(-1)).toContain('"turn_ended"');
  const lines = await readLines(await follow(other, conversationId));
  const turn = ["turn_started", "reply_delta", "turn_ended"];
  expect(types(lines)).toEqual([...turn, ...turn, ...turn]);
});

it("a process that lost its turn while it stood still adds nothing to it", async () => {
  asked = [];
  const late = Promise.withResolvers<ModelAnswer>();
  scripts.set("Stand still", [() => late.promise, () => ({ text: ["From the other."] })]);
  const { conversationId } = await readStart(await say(one, "Stand still"));
  await isAsked("Stand still", 1);
  one.child.kill("SIGSTOP");
  await isAsked("Stand still", 2);
  const lines = await readLines(await follow(other, conversationId));
  one.child.kill("SIGCONT");
  late.resolve({ text: ["From the one."] });
  // The answer of the next turn at the process that stood still comes after its late one.
  expect((await readLines(await say(one, "And now?", conversationId))).at(-1)).toContain('"turn_ended"');
  const again = await readLines(await follow(one, conversationId));
  expect(again.slice(0, lines.length)).toEqual(lines);
  expect(again.join("\n")).toContain("From the other.");
  expect(again.join("\n")).not.toContain("From the one.");
});

it("a turn is followed live at another process, which goes on with it when the first one is killed", async () => {
  asked = [];
  scripts.set("Lisbon", [
    () => look,
    () => new Promise<ModelAnswer>(() => undefined),
    () => ({ text: ["It is LIS."] }),
  ]);
  const { conversationId } = await readStart(await say(one, "Lisbon"));
  const live = follow(other, conversationId);
  await isAsked("Lisbon", 2);
  one.child.kill("SIGKILL");
  const lines = await readLines(await live);
  expect(types(lines).filter((type) => type !== "reply_delta")).toEqual([
    "turn_started",
    "tool_call",
    "tool_result",
    "turn_ended",
  ]);
  expect(lines.at(-1)).toContain("It is LIS.");
  expect(asked.filter((first) => first === "Lisbon")).toHaveLength(3);
  expect(await readLines(await follow(other, conversationId))).toEqual(lines);
});
