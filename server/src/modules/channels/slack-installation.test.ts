import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";

/** Installations in workspaces: Slack's wire as the test plays it, and how they end. */

let service: TestService;
let slack: Server;
/** The forms of the codes that were exchanged. */
const exchanged: URLSearchParams[] = [];
/** Workspaces by the code that their administrator's agreement gives. */
const WORKSPACES: Readonly<Record<string, string>> = { "code-one": "T0ONE", "code-two": "T0TWO", "code-same": "T0ONE" };
beforeAll(async () => {
  slack = createServer(async (request, response) => {
    const form = new URLSearchParams(String(Buffer.concat(await request.toArray())));
    exchanged.push(form);
    const id = WORKSPACES[form.get("code") ?? ""];
    const team = { id, name: `Team ${id}` };
    const given = { ok: true, access_token: `xoxb-secret-of-${id}`, bot_user_id: "U0BOT", team };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(id === undefined ? { ok: false, error: "invalid_code" } : given));
  });
  await once(slack.listen(0, "127.0.0.1"), "listening");
  const { port } = z.object({ port: z.number() }).parse(slack.address());
  service = await startTestService({ SLACK_API_URL: `http://127.0.0.1:${port}/api` });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  slack?.close();
});

const ask = (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const Added = z.looseObject({
  id: z.string(),
  state: z.string(),
  accountId: z.string().nullable(),
  setUp: z.object({ installUrl: z.string(), manifest: z.looseObject({}) }),
});
const app = (name: string) => ({
  clientId: `client.of.${name}`,
  clientSecret: `client secret of ${name}`,
  signingSecret: `signing secret of ${name}`,
});

async function addChannel(name: string) {
  const { body, text } = await ask("/api/channels", { kind: "slack", name, app: app(name), isSimulated: false });
  return Added.parse(body, { error: () => text });
}
const read = async (id: string) => Added.parse((await ask(`/api/channels/${id}`)).body);
const stateIn = (installUrl: string) => new URL(installUrl).searchParams.get("state") ?? "";
const finish = (state: string, code: string) =>
  service.send(`/api/webhooks/slack-installed?${new URLSearchParams({ state, code })}`, {});
function tell(name: string, channelId: string, event: object, team = "T0ONE") {
  const body = JSON.stringify({ type: "event_callback", event_id: `Ev${Math.random()}`, team_id: team, event });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const mac = createHmac("sha256", app(name).signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${mac}`,
  };
  return service.send(`/api/webhooks/slack/${channelId}`, { method: "POST", headers, body });
}

it("is finished once by the state that it began with, and shows no token", async () => {
  const channel = await addChannel("one");
  expect(channel).toMatchObject({ state: "to_install", accountId: null });
  const url = new URL(channel.setUp.installUrl);
  const scopes = z
    .looseObject({ oauth_config: z.looseObject({ scopes: z.object({ bot: z.array(z.string()) }) }) })
    .parse(channel.setUp.manifest).oauth_config.scopes.bot;
  expect(url.searchParams.get("scope")).toBe(scopes.join(","));
  const state = stateIn(channel.setUp.installUrl);
  expect((await finish(state, "code-one")).status).toBe(200);
  expect(exchanged.at(-1)?.get("client_id")).toBe("client.of.one");
  const installed = await ask(`/api/channels/${channel.id}`);
  expect(installed.body).toMatchObject({ state: "on", accountId: "T0ONE", name: "Team T0ONE" });
  expect(installed.text).not.toContain("xoxb-secret");
  // The same state again, with another workspace's code: the installation stays as it is.
  const before = exchanged.length;
  expect((await finish(state, "code-two")).status).toBe(404);
  expect(exchanged).toHaveLength(before);
  expect(await read(channel.id)).toMatchObject({ accountId: "T0ONE" });
});

it("is not begun by a state that was altered, is another channel's, or has ended", async () => {
  const [channel, other] = [await addChannel("two"), await addChannel("three")];
  const [id = "", until = "", mac = ""] = stateIn(channel.setUp.installUrl).split(".");
  const wrong = [
    "",
    `${id}.${until}`,
    `${id}.${until}.${mac.slice(0, -2)}AA`,
    `${id}.${Number(until) + 3_600_000}.${mac}`,
    `${other.id}.${until}.${mac}`,
    `${id}.1.${mac}`,
  ];
  const before = exchanged.length;
  for (const state of wrong) expect([state, (await finish(state, "code-two")).status]).toEqual([state, 404]);
  expect(exchanged).toHaveLength(before);
  // Control: the right one, but its administrator refused; then with a code that Slack does not know; then for good.
  const right = stateIn(channel.setUp.installUrl);
  expect((await finish(right, "")).text).toContain("Nothing was installed");
  expect((await finish(right, "code-unknown")).status).toBe(404);
  expect((await finish(right, "code-two")).status).toBe(200);
  expect(await read(channel.id)).toMatchObject({ state: "on", accountId: "T0TWO" });
});

it("of a workspace that another channel has is refused", async () => {
  const channel = await addChannel("four");
  expect((await finish(stateIn(channel.setUp.installUrl), "code-same")).status).toBe(409);
  expect(await read(channel.id)).toMatchObject({ state: "to_install", accountId: null });
});

it.each([
  ["app_uninstalled", { type: "app_uninstalled" }],
  ["tokens_revoked", { type: "tokens_revoked", tokens: { bot: ["U0BOT"] } }],
])("ends with %s of its own workspace, and can be installed again", async (_name, event) => {
  const [found] = z
    .object({ channels: z.array(Added.omit({ setUp: true })) })
    .parse((await ask("/api/channels")).body)
    .channels.filter(({ accountId }) => accountId === "T0ONE");
  const id = found?.id ?? "";
  // Controls: another workspace's, and a person's own token.
  expect((await tell("one", id, event, "T0OTHER")).status).toBe(200);
  expect((await tell("one", id, { type: "tokens_revoked", tokens: { oauth: ["U0TESS"] } })).status).toBe(200);
  expect(await service.sql("select 1 from channel_event where channel_id = $1 and finished_at is null", [id])).toEqual(
    [],
  );
  expect(await read(id)).toMatchObject({ state: "on" });
  expect((await tell("one", id, event)).status).toBe(200);
  await expect.poll(async () => (await read(id)).state).toBe("off");
  const off = await read(id);
  expect(off.offBecause).toBe("It was removed there.");
  expect((await finish(stateIn(off.setUp.installUrl), "code-one")).status).toBe(200);
  expect(await read(id)).toMatchObject({ state: "on", offBecause: null });
});
