import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { say, startConversations } from "../../../test/support/conversations.ts";
import { isSignedBy } from "../../../test/support/service.ts";

/** Turns of conversations through the front door. */

const run = promisify(execFile);
let service: Awaited<ReturnType<typeof startConversations>>;
let folder: string;

beforeAll(async () => {
  service = await startConversations();
  folder = mkdtempSync(join(tmpdir(), "wayfare turns "));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const DISPATCH = "/api/agent/dispatch";
const Started = z.object({ conversationId: z.string(), turnId: z.string(), traceId: z.string() });

function post(body: unknown, headers: Readonly<Record<string, string>> = {}, key = service.apiKey) {
  return service.send(DISPATCH, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
}

const turn = (input: string, more: object = {}) => ({ channel: "web", input, ...more });

function get(path: string, headers: Readonly<Record<string, string>> = {}, key = service.apiKey) {
  return service.send(path, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

/** With the headers that came before and after the answer. */
async function curl(path: string, options: readonly string[]) {
  const dump = join(folder, crypto.randomUUID());
  const key = `Authorization: Bearer ${service.apiKey}`;
  const { stdout } = await run("curl", ["-sN", "-D", dump, "-H", key, ...options, `${service.appUrl}${path}`]);
  return { text: stdout, headers: readFileSync(dump, "utf8") };
}

const curlTurn = (body: object, options: readonly string[] = []) =>
  curl(DISPATCH, ["-H", "Content-Type: application/json", "-d", JSON.stringify(body), ...options]);

const readLines = (text: string) => text.trimEnd().split("\n");

function isGenuine(lines: readonly string[], signature: string): boolean {
  const [, seconds, mac] = /^t=(\d+),v1=(.+)$/.exec(signature) ?? [];
  const { traceId } = Started.parse(JSON.parse(lines[0] ?? ""));
  const signed = createHmac("sha256", service.signingSecret).update(`${seconds}.${traceId}.`);
  for (const line of lines.slice(0, -1)) signed.update(`${line}\n`);
  return mac === signed.digest("hex");
}

describe("a turn", () => {
  it("is streamed as lines, whose signature is in the last one and in the trailer", async () => {
    service.model.script("Grüß Gott", () => say("Grüß Gott, Ada."));
    const { text, headers } = await curlTurn(turn("Grüß Gott"));
    const lines = readLines(text);
    const last = JSON.parse(lines.at(-1) ?? "");
    expect(last).toMatchObject({ type: "turn_ended", status: "answered", reply: "Grüß Gott, Ada." });
    const { conversationId, traceId } = Started.parse(JSON.parse(lines[0] ?? ""));
    const [before = "", after = ""] = headers.split("\r\n\r\n");
    expect(before).toContain("application/x-ndjson");
    expect(before).toMatch(/^trailer: x-service-sig\r?$/im);
    expect(before).toContain(`x-service-trace-id: ${traceId}`);
    expect(after).toContain(`x-service-sig: ${last.signature}`);
    expect(isGenuine(lines, last.signature)).toBe(true);
    expect(isGenuine([...lines.slice(0, 1), '{"type":"reply_delta"}', ...lines.slice(1)], last.signature)).toBe(false);

    const again = await curl(`/api/conversations/${conversationId}/events`, []);
    expect(again.text).toBe(text);
    expect(again.headers).toContain(`x-service-sig: ${last.signature}`);
    const rest = await get(`/api/conversations/${conversationId}/events?after=1`);
    expect(rest.text).toBe(
      lines
        .slice(1)
        .map((line) => `${line}\n`)
        .join(""),
    );
  });

  it("is streamed as server-sent events, numbered as the events are", async () => {
    const { text, headers } = await curlTurn(turn("Hello"), ["-H", "Accept: text/event-stream"]);
    const frames = text.trimEnd().split("\n\n");
    const lines = frames.map((frame) => frame.slice(frame.indexOf("data: ") + 6));
    expect(frames.map((frame) => frame.split("\n")[0])).toEqual(
      lines.map((line) => `id: ${JSON.parse(line).sequence}`),
    );
    const { signature } = JSON.parse(lines.at(-1) ?? "");
    expect(isGenuine(lines, signature)).toBe(true);
    expect(headers).toContain(`x-service-sig: ${signature}`);
    const { conversationId } = Started.parse(JSON.parse(lines[0] ?? ""));
    const since = { accept: "text/event-stream", "last-event-id": "2" };
    expect((await get(`/api/conversations/${conversationId}/events`, since)).text).toBe(
      `${frames.slice(2).join("\n\n")}\n\n`,
    );
  });

  it("is one signed document for who accepts only JSON", async () => {
    const answer = await post(turn("Good morning"), { accept: "application/json" });
    expect(answer.body).toMatchObject({ ok: true, status: "answered", reply: "Done.", channel: "web" });
    expect(answer.body).not.toHaveProperty("type");
    expect(answer.body.events).toHaveLength(3);
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
  });

  it("is sent again with its key, and refused with another text", async () => {
    const headers = { "idempotency-key": "one turn" };
    const first = await post(turn("Once"), headers);
    expect((await post(turn("Once"), headers)).text).toBe(first.text);
    const other = await post(turn("Twice"), headers);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
  });

  it("of a named traveler has the locale, and the lists of this traveler have it", async () => {
    const { tenantId } = service;
    const body = { channel: "mcp", locale: "de_AT", tenantId, userId: "user_demo", text: "Servus" };
    const answer = await post(body, { accept: "application/json" });
    expect(answer.body).toMatchObject({ locale: "de-AT", channel: "mcp" });
    const conversationId = String(answer.body.conversationId);
    const read = await get(`/api/conversations/${conversationId}?userId=user_demo`);
    expect(read.body).toMatchObject({ turns: 1, lastSequence: 3, lastTurns: [{ text: "Servus", reply: "Done." }] });
    const listed = await get("/api/conversations?limit=1");
    expect(listed.body.conversations).toEqual([expect.objectContaining({ conversationId })]);
    expect((await post({ ...body, userId: "nobody" })).body.code).toBe("invalid_input");
    expect((await post({ ...body, tenantId: "tenant_other" })).body.code).toBe("tenant_not_found");
    await service.operator(({ persons }) => {
      const person = { id: "user_grace", name: "Grace", email: "grace@example.com", roles: ["approver"] } as const;
      return persons.add({ tenantId, environment: "sandbox" }, person, "test");
    });
    const colleague = await post({ ...body, userId: "user_grace" });
    expect(JSON.stringify(colleague.body.issues)).toContain("works for this tenant");
  });

  it("goes on without its reader, who comes back twice", async () => {
    const gate = Promise.withResolvers<void>();
    service.model.script("Slowly", async function* () {
      yield { type: "text", text: "One. " };
      await gate.promise;
      yield* say("Two.");
    });
    const leaving = new AbortController();
    const response = await fetch(`${service.appUrl}${DISPATCH}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(turn("Slowly")),
      signal: leaving.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let read = "";
    while (!read.includes("One. ")) read += (await reader?.read())?.value ?? "";
    leaving.abort();
    const { conversationId } = Started.parse(JSON.parse(readLines(read)[0] ?? ""));
    const back = ["after=1", "after=0"].map((query) => get(`/api/conversations/${conversationId}/events?${query}`));
    gate.resolve();
    const [later, whole] = await Promise.all(back);
    expect(whole?.text.startsWith(read)).toBe(true);
    expect(whole?.text.endsWith(later?.text ?? "-")).toBe(true);
    expect(JSON.parse(readLines(whole?.text ?? "").at(-1) ?? "")).toMatchObject({ reply: "One. Two." });
  });

  it("waits for the one that runs, and both are stopped at once", async () => {
    service.model.script("For ever", async function* (_request, signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield* say("");
    });
    const first = fetch(`${service.appUrl}${DISPATCH}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(turn("For ever")),
    });
    const reader = (await first).body?.pipeThrough(new TextDecoderStream()).getReader();
    const { conversationId } = Started.parse(JSON.parse(readLines((await reader?.read())?.value ?? "")[0] ?? ""));
    const second = post(turn("And this?", { conversationId }));
    const waiting = "select 1 from conversation_turn where state = 'queued' and conversation_id = $1";
    await expect.poll(async () => (await service.sql(waiting, [conversationId])).length).toBe(1);
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const stopped = await service.send(`/api/conversations/${conversationId}/stop`, { method: "POST", headers });
    expect(stopped.body).toEqual({ conversationId, stoppedTurns: 2 });
    expect((await second).text).toContain('"type":"turn_ended"');
    const gone = await service.send(`/api/conversations/${conversationId}`, { method: "DELETE", headers });
    expect(gone.body).toEqual({ conversationId, deleted: true });
    expect((await get(`/api/conversations/${conversationId}`)).status).toBe(404);
    await reader?.cancel();
  });
});

describe("a body", () => {
  it.each([
    [{ channel: "web", input: "Hello", text: "Hello" }, "text"],
    [{ channel: "web", input: "Hello", tool: "read_account", args: {} }, "input"],
    [{ channel: "web", text: "Hello", args: {} }, "args"],
  ])("that mixes two is refused: %j", async (body, path) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    const message = expect.stringMatching(/^belongs to .*; this body is /);
    expect(answer.body.issues).toContainEqual({ path, message });
  });

  it("of another tenant's conversation finds none, and a key without the scope may not converse", async () => {
    const { body } = await post(turn("Mine"), { accept: "application/json" });
    const conversationId = String(body.conversationId);
    const [other, reading] = await service.operator(async (operator) => {
      const { apiKey } = await operator.createTenant({ name: "Others", actor: "test" });
      const { tenantId } = service;
      const key = { tenantId, environment: "sandbox", scopes: ["conversations:read"], actor: "test" } as const;
      return [apiKey, (await operator.mintKey(key)).apiKey];
    });
    const refused = await post(turn("Yours?", { conversationId }), {}, other);
    expect([refused.status, refused.body.code]).toEqual([404, "conversation_not_found"]);
    for (const path of ["", "/events"]) {
      expect((await get(`/api/conversations/${conversationId}${path}`, {}, other)).status).toBe(404);
      expect((await get(`/api/conversations/${conversationId}${path}`, {}, reading)).status).toBe(200);
    }
    const lacking = await post(turn("May I?"), {}, reading);
    expect(lacking.body).toMatchObject({ code: "missing_scope", scope: "conversations:write" });
  });
});
