import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { ANTHROPIC_PING, readAnthropic, renderAnthropic, renderAnthropicError } from "./anthropic-wire.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { OPENAI_PING, readOpenAi, renderOpenAi, renderOpenAiError } from "./openai-wire.ts";
import type { SeenStep } from "./seen-step.ts";

/** Answers a step; `turn` counts the requests from 1. */
type ModelScript = (step: SeenStep, turn: number) => ModelAnswer | Promise<ModelAnswer>;

interface ScriptedModel {
  /** The base address, which both wires share: `{url}/messages` and `{url}/chat/completions`. */
  readonly url: string;
  readonly steps: SeenStep[];
  /** Credentials as they were sent, by either wire. */
  readonly keys: string[];
  /** Connections that the client has closed before the end of an answer. */
  readonly left: () => number;
  close(): Promise<void>;
}

const WIRES = {
  "/v1/messages": {
    read: readAnthropic,
    render: renderAnthropic,
    renderError: renderAnthropicError,
    ping: ANTHROPIC_PING,
  },
  "/v1/chat/completions": {
    read: readOpenAi,
    render: renderOpenAi,
    renderError: renderOpenAiError,
    ping: OPENAI_PING,
  },
} as const;
type Wire = (typeof WIRES)[keyof typeof WIRES];

const Address = z.object({ port: z.number() });
const PING_MILLISECONDS = 20;
const FLOOD_PIECE = "x".repeat(60_000);

/** A model endpoint that speaks the Messages API of Anthropic and the chat completions API of OpenAI, both as streams. */
export async function startScriptedModel(script: ModelScript, { port = 0 } = {}): Promise<ScriptedModel> {
  const steps: SeenStep[] = [];
  const keys: string[] = [];
  let left = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = Object.entries(WIRES).find(([path]) => path === request.url)?.[1];
    if (wire === undefined) return sendJson(response, 404, { error: { type: "not_found_error" } });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    keys.push(String(request.headers["x-api-key"] ?? request.headers.authorization ?? ""));
    let step: SeenStep;
    try {
      step = wire.read(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    } catch (error) {
      return sendJson(response, 400, { error: { type: "invalid_request_error", message: String(error) } });
    }
    steps.push(step);
    response.on("close", () => {
      if (!response.writableFinished) left += 1;
    });
    await answer(response, wire, await script(step, steps.length));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const listening = Address.parse(server.address());
  return {
    url: `http://127.0.0.1:${listening.port}/v1`,
    steps,
    keys,
    left: () => left,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answer(response: ServerResponse, wire: Wire, given: ModelAnswer): Promise<void> {
  if ("fault" in given) {
    if (given.fault === "reset") response.destroy();
    return;
  }
  if ("status" in given)
    return sendJson(response, given.status, given.json ?? { error: { type: "scripted" } }, given.headers);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("raw" in given) return void response.end(given.raw);
  if ("cut" in given) return cutAnswer(response, wire.render(given.reply).join(""), given);
  if ("floodBytes" in given) return await flood(response, wire, given.floodBytes);
  if ("pings" in given) return ping(response, wire);
  if ("errorEvent" in given) {
    const begun = wire.render({ text: [given.text ?? ""] }).slice(0, given.text === undefined ? 1 : 4);
    return void response.end(`${begun.join("")}${wire.renderError(given.errorEvent)}`);
  }
  for (const event of wire.render(given)) response.write(event);
  response.end();
}

function sendJson(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(json));
}

function cutAnswer(response: ServerResponse, text: string, { cut, how }: { cut: number; how: "break" | "end" }): void {
  const whole = Buffer.from(text);
  const begun = whole.subarray(0, cut);
  if (how === "end" || cut >= whole.byteLength) response.end(begun);
  else response.write(begun, () => setImmediate(() => response.destroy()));
}

async function flood(response: ServerResponse, wire: Wire, bytes: number): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(bytes / FLOOD_PIECE.length) }, () => FLOOD_PIECE);
  await pipeline(Readable.from(wire.render({ text: pieces })), response);
}

function ping(response: ServerResponse, wire: Wire): void {
  response.write(
    wire
      .render({ text: ["One moment"] })
      .slice(0, 4)
      .join(""),
  );
  const timer = setInterval(() => response.write(wire.ping), PING_MILLISECONDS);
  response.on("close", () => clearInterval(timer));
}
