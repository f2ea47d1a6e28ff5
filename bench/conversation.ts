import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";
import { splitLooks } from "../server/test/support/looks.ts";
import { startStatementCounter } from "../server/test/support/statement-counter.ts";
import { startTestPostgres } from "../server/test/support/test-postgres.ts";
import { say } from "./support/compare.ts";
import { readOwnCpuSeconds } from "./support/cpu-seconds.ts";
import { startProduct, stopProgram } from "./support/processes.ts";

/**
 * Prints how soon conversations are answered while many send a turn every few seconds, what a turn that calls no tool costs,
 * and the memory of open streams. The built-in rules answer, except for the streams, whose model speaks slowly.
 */
const CONVERSATIONS = 64;
const EVERY_SECONDS = 5;
const ROUNDS = 6;
const TURNS_COUNTED = 40;
/** The first ones compile the code that the others run. */
const TURNS_BEFORE = 40;
const STREAMS = 100;
const MOST_FIRST_EVENT_MILLISECONDS = [20, 60] as const;
const MOST_STATEMENTS = 8;
const MOST_CPU_MILLISECONDS = 12;
const MOST_STREAM_MEGABYTES = 3;
const MOST_TAKE_OVER_MILLISECONDS = 2_000;
const KILLS = 2;
const IDLE_MILLISECONDS = 6_000;
const TEXT = "What can you do for me?";

const Event = z.looseObject({ type: z.string(), conversationId: z.string().optional(), status: z.string().optional() });

interface Product {
  port: number;
  apiKey: string;
}

/** Says it, and returns when the first event came, when the last one did, and the conversation. */
async function talk({ port, apiKey }: Product, conversationId?: string) {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/api/agent/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: "web", input: TEXT, ...(conversationId === undefined ? {} : { conversationId }) }),
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  let firstMilliseconds: number | undefined;
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    firstMilliseconds ??= performance.now() - begun;
    text += chunk;
  }
  const events = text
    .trim()
    .split("\n")
    .map((line) => Event.parse(JSON.parse(line)));
  const [started] = events;
  if (events.at(-1)?.type !== "turn_ended" || started?.conversationId === undefined) throw new Error(text);
  return {
    firstMilliseconds: firstMilliseconds ?? 0,
    milliseconds: performance.now() - begun,
    id: started.conversationId,
  };
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);

async function measureLoad(product: Product): Promise<void> {
  const first: number[] = [];
  const whole: number[] = [];
  await Promise.all(
    Array.from({ length: CONVERSATIONS }, async (_, index) => {
      await delay((EVERY_SECONDS * 1_000 * index) / CONVERSATIONS);
      let conversation: string | undefined;
      for (let round = 0; round < ROUNDS; round += 1) {
        const until = performance.now() + EVERY_SECONDS * 1_000;
        const { firstMilliseconds, milliseconds, id } = await talk(product, conversation);
        conversation = id;
        first.push(firstMilliseconds);
        whole.push(milliseconds);
        await delay(Math.max(0, until - performance.now()));
      }
    }),
  );
  for (const [name, values] of Object.entries({ "first event": first, "whole turn": whole })) {
    const sorted = values.toSorted((one, other) => one - other);
    const bounds = name === "first event" ? ` (at most ${MOST_FIRST_EVENT_MILLISECONDS.join(" and ")})` : "";
    say(`${name}: p50 ${at(sorted, 0.5)} ms, p95 ${at(sorted, 0.95)} ms${bounds} (${sorted.length} turns)`);
  }
}

/** A model that says a letter now and then, over the wire of chat completions. `onAsked`: a step begins. */
async function startSlowModel(onAsked: () => void = () => undefined) {
  const server = createServer((_request, response) => {
    onAsked();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "slow" };
    const timer = setInterval(() => {
      const choices = [{ index: 0, delta: { role: "assistant", content: "." }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
    }, 1_000);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The model has no port.");
  return { server, url: `http://127.0.0.1:${address.port}/v1` };
}

const readMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

async function measureStreams(folder: string): Promise<number> {
  const { server, url } = await startSlowModel();
  const product = await startProduct(folder, { LANGUAGE_MODELS: "server/slow", MODEL_SERVER_URL: url });
  const leave = new AbortController();
  const open = async () => {
    const response = await fetch(`http://127.0.0.1:${product.port}/api/agent/dispatch`, {
      method: "POST",
      headers: { authorization: `Bearer ${product.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ channel: "web", input: TEXT }),
      signal: leave.signal,
    });
    await response.body?.getReader().read();
  };
  try {
    // The first ones load the model's adapter.
    await Promise.all(Array.from({ length: 5 }, open));
    await delay(3_000);
    const before = readMegabytes(product.child.pid ?? 0);
    await Promise.all(Array.from({ length: STREAMS }, open));
    await delay(5_000);
    return (readMegabytes(product.child.pid ?? 0) - before) / STREAMS;
  } finally {
    leave.abort();
    await stopProgram(product.child);
    server.closeAllConnections();
    server.close();
  }
}

/** The times from a kill of the process that runs a turn until another one asks the model for it. */
async function measureTakeOver(folder: string): Promise<readonly number[]> {
  let asked = Promise.withResolvers<void>();
  const { server, url } = await startSlowModel(() => asked.resolve());
  const start = () => startProduct(folder, { LANGUAGE_MODELS: "server/slow", MODEL_SERVER_URL: url });
  let [running, other] = [await start(), await start()];
  const times: number[] = [];
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const leave = new AbortController();
      asked = Promise.withResolvers();
      const response = await fetch(`http://127.0.0.1:${running.port}/api/agent/dispatch`, {
        method: "POST",
        headers: { authorization: `Bearer ${running.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ channel: "web", input: TEXT }),
        signal: leave.signal,
      });
      await response.body?.getReader().read();
      await asked.promise;
      asked = Promise.withResolvers();
      const killed = performance.now();
      running.child.kill("SIGKILL");
      await asked.promise;
      times.push(performance.now() - killed);
      leave.abort();
      // The last kill needs no successor: a start takes seconds.
      if (kill + 1 < KILLS) [running, other] = [other, await start()];
    }
    return times;
  } finally {
    running.child.kill("SIGKILL");
    await stopProgram(other.child);
    server.closeAllConnections();
    server.close();
  }
}

const postgres = await startTestPostgres();
const admin = new pg.Client({ connectionString: postgres.adminUrl });
await admin.connect();
await admin.query("create database product");
await admin.query("create database streams");
await admin.query("create database killed");
await admin.end();
const databaseUrl = new URL(postgres.adminUrl);
databaseUrl.pathname = "/product";
const counter = await startStatementCounter(databaseUrl.href);
const folders = [1, 2, 3].map(() => mkdtempSync(join(tmpdir(), "wayfare-bench-")));
const [folder = "", otherFolder = "", thirdFolder = ""] = folders;
process.env.DATABASE_URL = counter.url;
const product = await startProduct(folder);
const pid = product.child.pid ?? 0;

try {
  const { id } = await talk(product);
  for (let turn = 1; turn < TURNS_BEFORE; turn += 1) await talk(product);
  counter.take();
  await delay(IDLE_MILLISECONDS);
  const idle = new Set(counter.take().byText.keys());
  const cpuBefore = readOwnCpuSeconds(pid);
  for (let turn = 0; turn < TURNS_COUNTED; turn += 1) await talk(product, turn % 2 === 0 ? undefined : id);
  const milliseconds = ((readOwnCpuSeconds(pid) - cpuBefore) * 1_000) / TURNS_COUNTED;
  const { own } = splitLooks(counter.take(), idle);
  const statements = own.statements / TURNS_COUNTED;
  say(
    `a turn without tools: ${statements.toFixed(1)} statements (at most ${MOST_STATEMENTS}), ${milliseconds.toFixed(1)} ms of CPU of the service (at most ${MOST_CPU_MILLISECONDS})`,
  );
  await measureLoad(product);
  await stopProgram(product.child);
  databaseUrl.pathname = "/streams";
  process.env.DATABASE_URL = databaseUrl.href;
  const megabytes = await measureStreams(otherFolder);
  say(`an open stream: ${megabytes.toFixed(2)} MB (at most ${MOST_STREAM_MEGABYTES})`);
  databaseUrl.pathname = "/killed";
  process.env.DATABASE_URL = databaseUrl.href;
  const takenOver = await measureTakeOver(thirdFolder);
  say(
    `a killed turn goes on after: ${takenOver.map((time) => Math.round(time)).join(", ")} ms (at most ${MOST_TAKE_OVER_MILLISECONDS})`,
  );
  const isOver =
    statements > MOST_STATEMENTS ||
    milliseconds > MOST_CPU_MILLISECONDS ||
    megabytes > MOST_STREAM_MEGABYTES ||
    Math.max(...takenOver) > MOST_TAKE_OVER_MILLISECONDS;
  process.exitCode = isOver ? 1 : 0;
} finally {
  product.child.kill("SIGTERM");
  await counter.close();
  await postgres.stop();
  for (const one of folders) rmSync(one, { recursive: true, force: true });
}
