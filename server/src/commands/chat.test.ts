import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chatProgram, type Terminal } from "./chat.ts";
import { runProgram } from "./command-line.ts";

/** A conversation in a terminal, with a service that sends what a test wants. */

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let dataDir: string;
let answer: Handler;
let asked: string[];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  request.resume().on("end", () => answer(request, response));
});

beforeEach(async () => {
  asked = [];
  dataDir = mkdtempSync(join(tmpdir(), "wayfare-chat-"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const quickstart = { appUrl: `http://127.0.0.1:${address.port}`, apiKey: "ak_test" };
  writeFileSync(join(dataDir, "quickstart.json"), JSON.stringify(quickstart));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dataDir, { recursive: true, force: true });
});

const line = (type: string, sequence: number, more: object = {}) => `${JSON.stringify({ type, sequence, ...more })}\n`;
const started = line("turn_started", 1, { conversationId: "cnv_1" });
const said = (sequence: number, text: string) => line("reply_delta", sequence, { text });

/** Says these messages. `onText`: what the terminal shows, with the key that stops. */
async function chat(
  messages: readonly string[],
  onText: (text: string, interrupt: () => void) => void = () => undefined,
) {
  const waiting = [...messages];
  let shown = "";
  let stop: (() => void) | undefined;
  const terminal: Terminal = {
    ask: async () => waiting.shift(),
    write(text) {
      shown += text;
      onText(text, () => stop?.());
    },
    onInterrupt(next) {
      stop = next;
    },
  };
  const print = (text: string): void => {
    shown += text;
  };
  const output = { out: print, error: print };
  const code = await runProgram(chatProgram, [], output, (work) => work({ terminal, dataDir }));
  return { code, shown };
}

it("without a service that was ever started says what to do", async () => {
  rmSync(join(dataDir, "quickstart.json"));
  const { code, shown } = await chat(["hello"]);
  expect([code, shown]).toEqual([2, expect.stringContaining("start the service first, or pass --url and --key")]);
});

it("shows the reply, a call and when a yes is too late, once each", async () => {
  answer = (_request, response) =>
    response.end(
      [
        started,
        line("tool_call", 2, { tool: "search_flights", args: { origin: "LON" } }),
        said(3, "Book this flight\nTotal: 10.00 USDC\nShall I go ahead? (yes / no)"),
        line("confirmation_requested", 4, {
          what: "Book this flight",
          total: "10.00 USDC",
          expiresAt: "2026-11-27T21:17:45Z",
        }),
        line("turn_ended", 5),
      ].join(""),
    );
  const { code, shown } = await chat(["a flight"]);
  expect(code).toBe(0);
  expect(shown).toContain('[search_flights {"origin":"LON"}]');
  expect(shown).toMatch(/\(yes \/ no\)\n {2}\[yes or no until .*:17.*\]\n/);
  expect(shown.match(/10\.00 USDC/g)).toHaveLength(1);
  expect(shown).toContain("npm run chat -- --conversation cnv_1");
});

it("goes on after a cut connection without repeating anything", async () => {
  answer = (request, response) => {
    if (request.method === "POST") response.write(started + said(2, "One. "), () => response.destroy());
    else response.end(said(2, "One. ") + said(3, "Two.") + line("turn_ended", 4));
  };
  const { shown } = await chat(["hello"]);
  expect(asked).toEqual(["POST /api/agent/dispatch", "GET /api/conversations/cnv_1/events?after=2"]);
  expect(shown).toMatch(/One\. {3}\[The service at .* does not answer: trying again\]\nTwo\.\n/);
});

it("stops the turn on Ctrl+C, and leaves on the next one", async () => {
  let leave = (): void => undefined;
  answer = (request, response) => {
    if (request.url?.endsWith("/stop") === true) response.end("{}", () => leave());
    else response.write(started + said(2, "…"));
  };
  const { code, shown } = await chat(["a long story", "never said"], (text, interrupt) => {
    if (text !== "…") return;
    leave = interrupt;
    interrupt();
  });
  expect(asked).toContain("POST /api/conversations/cnv_1/stop");
  expect([code, shown]).toEqual([0, expect.stringContaining("To continue this conversation")]);
  expect(asked.filter((one) => one === "POST /api/agent/dispatch")).toHaveLength(1);
});

it("says that the service does not answer, and leaves on Ctrl+C", async () => {
  answer = (_request, response) => response.destroy();
  const { code, shown } = await chat(["hello"], (text, interrupt) => {
    if (text.includes("does not answer")) interrupt();
  });
  expect([code, shown]).toEqual([0, expect.stringMatching(/does not answer: trying again\]\nNothing was said\./)]);
});

it("says why a message was refused", async () => {
  answer = (_request, response) => {
    response.statusCode = 400;
    response.end(JSON.stringify({ code: "invalid_input", detail: "Not accepted: locale: must be a BCP 47 tag." }));
  };
  const { code, shown } = await chat(["hello"]);
  expect([code, shown]).toEqual([1, expect.stringContaining("must be a BCP 47 tag")]);
});
