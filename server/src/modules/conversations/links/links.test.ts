import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { END, say, startConversations } from "../../../../test/support/conversations.ts";
import { type MailServer, startMailServer } from "../../../../test/support/mail-server.ts";

/** One traveler, known by several identities. */

let service: Awaited<ReturnType<typeof startConversations>>;
let mail: MailServer;
/** A tenant with a traveler, the web's key, which names her, and keys of agents, which name nobody. */
let tenantId: string;
let webKey: string;

beforeAll(async () => {
  mail = await startMailServer();
  service = await startConversations({ SMTP_URL: mail.url, MAIL_FROM: "trips@example.com" });
  ({ tenantId, key: webKey } = await newTenant("Acme"));
  const profile = JSON.stringify({ givenName: "Ada", familyName: "Lovelace" });
  expect((await send("PUT", "/api/travelers/user_ada", webKey, profile)).status).toBe(201);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
});

const newTenant = (name: string) =>
  service.operator(async (operator) => {
    const { tenant, apiKey } = await operator.createTenant({ name, actor: "test" });
    return { tenantId: tenant.id, key: apiKey };
  });
const newKey = async () =>
  (await service.operator(({ mintKey }) => mintKey({ tenantId, environment: "sandbox", actor: "test" }))).apiKey;

function send(method: string, path: string, key: string, body?: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" };
  return service.send(path, { method, headers, ...(body === undefined ? {} : { body }) });
}

const talk = (key: string, text: string, more: object = {}) =>
  send("POST", "/api/agent/dispatch", key, JSON.stringify({ channel: "mcp", text, ...more }));
const issue = (key: string, query = "", body: object = {}) =>
  send("POST", `/api/conversation-link-codes${query}`, key, JSON.stringify(body));
const redeem = (key: string, code: unknown) => send("POST", "/api/conversation-links", key, JSON.stringify({ code }));
const list = async (key: string, query = "") => {
  const { body } = await send("GET", `/api/conversations${query}`, key);
  return JSON.stringify(body.conversations);
};
const codeForAda = async () => String((await issue(webKey, "?userId=user_ada")).body.code);

describe("a link code", () => {
  it("joins a key to the traveler, with history and open confirmation on both sides", async () => {
    service.model.script(
      "Save my seat",
      () => [{ type: "toolCall", id: "save", name: "save_traveler", args: { userId: "user_ada", title: "ms" } }, END],
      () => say("Saved."),
    );
    const asked = await talk(webKey, "Save my seat", { userId: "user_ada" });
    expect(asked.body).toMatchObject({ status: "awaits_confirmation" });
    const conversationId = String(asked.body.conversationId);
    const agentKey = await newKey();
    const own = String((await talk(agentKey, "My own")).body.conversationId);
    expect(await list(agentKey)).not.toContain(conversationId);
    expect((await talk(agentKey, "yes", { conversationId })).body.code).toBe("conversation_not_found");

    const code = await codeForAda();
    expect((await redeem(agentKey, code.toLowerCase().replace("-", " "))).body).toEqual({ userId: "user_ada" });
    expect(await list(agentKey)).toContain(conversationId);
    expect(await list(webKey, "?userId=user_ada")).toContain(own);
    const events = `/api/conversations/${conversationId}/events`;
    const [web, agent] = await Promise.all([
      send("GET", `${events}?userId=user_ada`, webKey),
      send("GET", events, agentKey),
    ]);
    expect(agent.text).toBe(web.text);
    const confirmed = await talk(agentKey, "yes", { conversationId });
    expect(confirmed.body).toMatchObject({ toolCalls: [{ tool: "save_traveler" }] });
    const links = await send("GET", "/api/conversation-links", agentKey);
    expect(links.body).toMatchObject({ userId: "user_ada", links: [{ kind: "key" }] });
  });

  it("is good once, for this tenant, and for a while", async () => {
    const [used, expired, others] = [await codeForAda(), await codeForAda(), await codeForAda()];
    expect((await redeem(await newKey(), used)).status).toBe(200);
    expect((await redeem(await newKey(), used)).status).toBe(404);
    const { key } = await newTenant("Others");
    expect((await redeem(key, others)).status).toBe(404);
    await service.sql("update conversation_link_code set expires_at = now() - interval '1 second'");
    expect((await redeem(await newKey(), expired)).status).toBe(404);
    const rows = JSON.stringify(await service.sql("select * from conversation_link_code"));
    expect(rows).not.toContain(others.replace("-", ""));
  });

  it("cannot be guessed: a key has five attempts", async () => {
    const code = await codeForAda();
    const key = await newKey();
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await redeem(key, `AAAA-AAA${attempt}`)).status).toBe(404);
    const refused = await redeem(key, code);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(await list(key)).toBe("[]");
  });

  it("is for travelers only, and a key belongs to one", async () => {
    expect((await issue(await newKey())).body.code).toBe("conflict");
    const profile = JSON.stringify({ givenName: "Eve" });
    await send("PUT", "/api/travelers/user_eve", webKey, profile);
    const key = await newKey();
    expect((await redeem(key, await codeForAda())).status).toBe(200);
    const other = String((await issue(webKey, "?userId=user_eve")).body.code);
    expect((await redeem(key, other)).body.code).toBe("conflict");
    const links = await service.sql("select id from conversation_link order by created_at desc limit 1");
    const path = `/api/conversation-links/${String(links[0]?.id)}`;
    expect((await send("DELETE", path, key)).status).toBe(200);
    expect((await redeem(key, String((await issue(webKey, "?userId=user_eve")).body.code))).status).toBe(200);
  });
});

describe("an address", () => {
  const readCode = () => /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(mail.received.at(-1)?.parsed.text ?? "")?.[0];

  it("that was proved on both sides joins them", async () => {
    const email = "Ada@Example.com";
    expect((await issue(webKey, "?userId=user_ada", { email })).body).toMatchObject({ code: null });
    await expect.poll(() => mail.received.length).toBe(1);
    const proof = JSON.stringify({ code: readCode() });
    const path = "/api/conversation-links?userId=user_ada";
    expect((await redeem(await newKey(), readCode())).status).toBe(404);
    expect((await send("POST", path, webKey, proof)).body).toEqual({ userId: "user_ada" });
    const key = await newKey();
    expect((await issue(key, "", { email })).status).toBe(200);
    await expect.poll(() => mail.received.length).toBe(2);
    expect((await redeem(key, readCode())).body).toEqual({ userId: "user_ada" });
    expect(await list(key)).toBe(await list(webKey, "?userId=user_ada"));
  });
});
