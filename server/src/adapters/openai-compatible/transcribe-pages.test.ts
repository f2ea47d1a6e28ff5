import { afterEach, expect, it } from "vitest";
import { type Answer, type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { createHttpClient } from "../../platform/http-client/http-client.ts";
import { createPageTranscriber } from "./transcribe-pages.ts";

const open: ScriptedServer[] = [];
const logged: string[] = [];
const keep = (fields: unknown, message: string) => void logged.push(`${JSON.stringify(fields)} ${message}`);
const http = createHttpClient();

afterEach(async () => {
  logged.length = 0;
  for (const server of open.splice(0)) await server.close();
});

const PICTURE = Buffer.from("a picture");

async function transcribe(
  answer: Answer | ((turn: number) => Answer),
  { apiKey, timeoutMilliseconds = 5_000 }: { apiKey?: string; timeoutMilliseconds?: number } = {},
) {
  const server = await startScriptedServer((_request, turn) => (typeof answer === "function" ? answer(turn) : answer));
  open.push(server);
  const transcriber = createPageTranscriber({
    url: `${server.url}/v1/`,
    model: "reader-1",
    apiKey,
    timeoutMilliseconds,
    http,
    log: { info: keep, warn: keep, error: keep },
  });
  const pages = await transcriber.transcribe([PICTURE, PICTURE], new AbortController().signal);
  return { pages, requests: server.requests };
}

const said = (content: unknown, finish_reason: string | null = "stop") => ({
  status: 200,
  json: { choices: [{ message: { role: "assistant", content }, finish_reason }] },
});

it("sends each page as a picture and reads the lines of the answers", async () => {
  const { pages, requests } = await transcribe((turn) => said(`\`\`\`\nPage ${turn}\n\n  Total   12.00 \n\`\`\``), {
    apiKey: "secret",
  });
  expect(pages).toEqual([
    ["Page 1", "Total   12.00"],
    ["Page 2", "Total   12.00"],
  ]);
  const [first] = requests;
  expect(first).toMatchObject({
    method: "POST",
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer secret" },
    body: {
      model: "reader-1",
      temperature: 0,
      messages: [
        {
          role: "user",
          content: [{ type: "text" }, { image_url: { url: `data:image/jpeg;base64,${PICTURE.toString("base64")}` } }],
        },
      ],
    },
  });
});

it("sends no authorization if the endpoint requires none", async () => {
  const { requests } = await transcribe(said("Total 12.00"));
  expect(requests[0]?.headers.authorization).toBeUndefined();
});

const unusable: Record<string, Answer> = {
  "a refused key": { status: 401, json: { error: { message: "no such key" } } },
  "a transcription that was cut off": said("Total", "length"),
  "no choices": { status: 200, json: { choices: [] } },
  "content that is no text": said([{ type: "text", text: "Total" }]),
  "no JSON": { status: 200, text: "<html>" },
  "an answer that is too long": { status: 200, text: "x".repeat(600_000) },
  "more lines than a page has": said("a\n".repeat(500)),
  "a broken connection": "reset",
};
for (const [name, answer] of Object.entries(unusable)) {
  it(`gives no transcription for ${name}, and logs nothing of it`, async () => {
    const { pages } = await transcribe(answer);
    expect(pages).toBeUndefined();
    expect(logged).toHaveLength(1);
    expect(logged.join()).not.toMatch(/no such key|Total/);
  });
}

it("waits no longer than its time limit", async () => {
  const { pages } = await transcribe("hang", { timeoutMilliseconds: 50 });
  expect(pages).toBeUndefined();
});
