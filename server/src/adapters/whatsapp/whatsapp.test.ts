import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../platform/http-client/http-client.ts";
import { HttpFailure } from "../../platform/http-client/http-failure.ts";
import type { ChatMessage } from "../../ports/chat.ts";
import { composeForWhatsApp } from "./compose-whatsapp.ts";
import { createWhatsApp } from "./index.ts";
import { readWhatsAppEvents } from "./read-whatsapp.ts";
import { isSignedByMeta } from "./verify-whatsapp.ts";

const API = "https://graph.facebook.com/v25.0";
const access = { apiUrl: API, token: "a token", accountId: "106540352242922" };
const message: ChatMessage = { text: "Hello", buttons: [] };
const sending = { to: "12025550101", ref: "cmg_1", message };

/** Answers in this order, and notes what was asked. */
function play(...answers: readonly ({ status: number; body: unknown; retryAfter?: string } | HttpFailure)[]) {
  const asked: HttpRequest[] = [];
  const waiting = [...answers];
  const whatsapp = createWhatsApp(
    {
      async send(request): Promise<HttpResponse> {
        asked.push(request);
        const next = waiting.shift();
        if (next === undefined) throw new Error("nothing more was to be asked");
        if (next instanceof HttpFailure) throw next;
        const body = Buffer.from(typeof next.body === "string" ? next.body : JSON.stringify(next.body));
        return { status: next.status, body, header: (name) => (name === "retry-after" ? next.retryAfter : undefined) };
      },
    },
    API,
  );
  return { whatsapp, asked };
}

const refusal = (code: number) => ({ error: { code, message: "no" } });

describe("an answer of Meta", () => {
  test.each([
    ["429 with Retry-After", { status: 429, body: refusal(130_429), retryAfter: "7" }, "not_done", 7],
    ["429 without", { status: 429, body: "" }, "not_done", 30],
    ["a limit of the account by its code alone", { status: 400, body: refusal(80_007) }, "not_done", 30],
    ["a limit of one recipient", { status: 400, body: refusal(131_056) }, "not_done", undefined],
    ["500", { status: 500, body: refusal(131_000) }, "unsure", undefined],
    ["an answer that is none", { status: 200, body: "<html>" }, "unsure", undefined],
    ["an answer without an id", { status: 200, body: { messages: [] } }, "unsure", undefined],
    ["a token that has ended", { status: 401, body: refusal(190) }, "revoked", undefined],
    ["the end of the day", { status: 400, body: refusal(131_047) }, "window_closed", undefined],
    ["a template that is missing", { status: 404, body: refusal(132_001) }, "refused", undefined],
    ["a lost connection", new HttpFailure("reset", "unanswered"), "unsure", undefined],
    ["no connection", new HttpFailure("unreachable", "not_sent"), "not_done", undefined],
  ] as const)("%s", async (_name, answer, problem, retryAfterSeconds) => {
    const { whatsapp } = play(answer);
    await expect(whatsapp.send(access, sending)).rejects.toMatchObject({ problem, retryAfterSeconds });
  });

  test("with an id is the message's, which was asked for once and on a connection of its own", async () => {
    const { whatsapp, asked } = play({ status: 200, body: { messages: [{ id: "wamid.1" }] } });
    expect(await whatsapp.send(access, sending)).toBe("wamid.1");
    expect(asked).toMatchObject([{ url: `${API}/106540352242922/messages`, freshConnection: true }]);
  });
});

describe("a message", () => {
  const button = (label: string, index = 0) => ({ value: `token ${index}`, label, looks: "plain" as const });
  const compose = (more: object) => composeForWhatsApp({ ...sending, ...more });

  test("to somebody without a number names the id where Meta reads it", () => {
    expect(compose({})).toMatchObject({ to: "12025550101", biz_opaque_callback_data: "cmg_1" });
    const hidden = compose({ to: "US.13491208655302741918" });
    expect(hidden).toMatchObject({ recipient: "US.13491208655302741918" });
    expect(hidden).not.toHaveProperty("to");
  });

  test("has buttons as long as they fit, and a list otherwise", () => {
    const shown = (text: string, ...labels: string[]) => compose({ message: { text, buttons: labels.map(button) } });
    expect(shown("?", "Yes", "No")).toMatchObject({ interactive: { type: "button" } });
    expect(shown("?", "1", "2", "3", "4")).toMatchObject({ interactive: { type: "list" } });
    expect(shown("?", "Longer than twenty letters")).toMatchObject({ interactive: { type: "list" } });
    expect(shown("x".repeat(1_025), "Yes")).toMatchObject({ interactive: { type: "list" } });
    expect(shown("x".repeat(5_000))).toMatchObject({
      type: "text",
      text: { body: expect.stringMatching(/^x{4095}…$/) },
    });
  });

  test("by template has one line, and a one-time code twice", () => {
    const template = { name: "wayfare_code", language: "en", parameter: "123456", shape: "code" as const };
    const gap = { type: "text", text: "123456" };
    expect(compose({ template })).toMatchObject({
      template: {
        components: [
          { type: "body", parameters: [gap] },
          { type: "button", sub_type: "url", index: "0", parameters: [gap] },
        ],
      },
    });
    const lines = compose({ template: { ...template, shape: "text", parameter: "one\n two\t  three\n\n" } });
    expect(JSON.stringify(lines)).toContain('"one · two three"');
  });
});

describe("a document", () => {
  const found = { status: 200, body: "content" };
  test("is fetched from Meta alone", async () => {
    const { whatsapp, asked } = play({ status: 200, body: { url: "https://lookaside.fbsbx.com/x?mid=1" } }, found);
    expect((await whatsapp.fetchMedia?.(access, "1003383421387256", 10))?.toString()).toBe("content");
    expect(asked.map(({ url }) => String(url))).toEqual([
      `${API}/1003383421387256`,
      "https://lookaside.fbsbx.com/x?mid=1",
    ]);
  });

  test.each([
    "https://evil.example/x",
    "https://lookaside.fbsbx.com.evil.example/x",
    "http://lookaside.fbsbx.com/x",
    "https://lookaside.fbsbx.com:8443/x",
    "https://user@lookaside.fbsbx.com/x",
    "http://169.254.169.254/latest",
    "",
  ])("is not fetched from %s, and the token stays here", async (url) => {
    const { whatsapp, asked } = play({ status: 200, body: { url } }, found);
    await expect(whatsapp.fetchMedia?.(access, "1003383421387256", 10)).rejects.toMatchObject({ problem: "refused" });
    expect(asked).toHaveLength(1);
  });
});

describe("an event", () => {
  const wrap = (value: object) =>
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "messages", value: { metadata: { phone_number_id: "1" }, ...value } }] }],
    });
  const read = (message: object) =>
    readWhatsAppEvents(wrap({ messages: [{ id: "wamid.1", timestamp: "1", ...message }] }), "1");

  test("of a button, a list or a template's button is a press with its value", () => {
    const from = { from: "12025550101" };
    for (const pressed of [
      { type: "interactive", interactive: { type: "button_reply", button_reply: { id: "token", title: "Yes" } } },
      { type: "interactive", interactive: { type: "list_reply", list_reply: { id: "token", title: "Yes" } } },
      { type: "button", button: { payload: "token", text: "Yes" } },
    ]) {
      expect(read({ ...from, ...pressed })).toMatchObject([{ type: "press", value: "token", from: "12025550101" }]);
    }
  });

  test("of a changed id names both", () => {
    const system = { type: "user_changed_user_id", user_id: "US.2", previous_user_id: "US.1" };
    expect(read({ from_user_id: "US.1", type: "system", system })).toMatchObject([
      { type: "renamed", from: "US.1", to: "US.2" },
    ]);
    const number = { type: "user_changed_number", wa_id: "12025550199", user_id: "US.2", previous_user_id: "US.1" };
    expect(read({ from: "12025550101", from_user_id: "US.1", type: "system", system: number })).toMatchObject([
      { id: "wamid.1", from: "US.1", to: "US.2", phone: "12025550199" },
      { id: "wamid.1.number", from: "12025550101", to: "US.2", phone: "12025550199" },
    ]);
  });

  test("is signed over its exact bytes", () => {
    const text = wrap({});
    const mac = createHmac("sha256", "secret").update(text).digest("hex");
    const judge = (signature: string | undefined, body = text, secret = "secret") =>
      isSignedByMeta({ text: body, header: () => signature }, secret);
    expect(judge(`sha256=${mac}`)).toBe(true);
    for (const wrong of [mac, `sha1=${mac}`, `sha256=${mac.slice(1)}`, `sha256=${"0".repeat(64)}`, "", undefined]) {
      expect(judge(wrong)).toBe(false);
    }
    expect([judge(`sha256=${mac}`, `${text} `), judge(`sha256=${mac}`, text, "other")]).toEqual([false, false]);
  });
});
