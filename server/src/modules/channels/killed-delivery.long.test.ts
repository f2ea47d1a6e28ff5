import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { KilledProduct } from "../../../test/support/killed-product.ts";

/** A process that dies between a message's request and its answer, with Slack and WhatsApp as the test plays them. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SIGNING = "a signing secret of the test";
const PHONE_NUMBER_ID = "106540352242922";
/** The messages that the carrier took, in the order in which they came. */
let taken: { body: string; path: string }[] = [];
/** Kills whoever sends, before the answer. */
let isDeadly = false;
let product: KilledProduct;
let carrier: Server;

beforeAll(async () => {
  carrier = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const path = request.url ?? "";
      if (/chat\.postMessage|\/messages$/.test(path)) {
        taken.push({ body, path });
        if (isDeadly) return product.kill();
      }
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer(path, body)));
    });
  });
  carrier.listen(0, "127.0.0.1");
  await once(carrier, "listening");
  const url = `http://127.0.0.1:${z.object({ port: z.number() }).parse(carrier.address()).port}`;
  product = await KilledProduct.open({ SLACK_API_URL: url, WHATSAPP_API_URL: url });
});

afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  carrier?.close();
});

const Posted = z.object({ metadata: z.unknown() });

function answer(path: string, body: string): object {
  if (path.endsWith("oauth.v2.access")) {
    return { ok: true, access_token: "xoxb-of-the-test", bot_user_id: "U0BOT", team: { id: "T0TEAM", name: "Team" } };
  }
  if (path.endsWith("conversations.history")) {
    const channel = new URLSearchParams(body).get("channel");
    const there = taken.filter((one) => one.body.includes(String(channel)));
    const messages = there.map((one, index) => ({
      ts: `1.${index}`,
      metadata: Posted.parse(JSON.parse(one.body)).metadata,
    }));
    return { ok: true, messages };
  }
  if (path.endsWith("/messages")) return { messages: [{ id: `wamid.${taken.length}` }] };
  if (path.includes(PHONE_NUMBER_ID)) return { verified_name: "Team", display_phone_number: "+1 202 555 0100" };
  return { ok: true, ts: `1.${taken.length - 1}`, channel: "D0PERSON" };
}

const ask = (path: string, body?: object) => product.ask(path, product.keys().operatorKey, body);

const Channel = z.object({ id: z.string(), setUp: z.object({ installUrl: z.string().nullable() }) });

const hook = async (path: string, body: string, headers: Record<string, string>) => {
  const all = { "content-type": "application/json", ...headers };
  expect((await fetch(`${product.url}${path}`, { method: "POST", headers: all, body })).status).toBe(200);
};

async function addSlack() {
  const app = { clientId: "client-of-the-test", clientSecret: "a secret of the test", signingSecret: SIGNING };
  const { id, setUp } = Channel.parse(JSON.parse(await ask("/api/channels", { kind: "slack", app })));
  const state = new URL(setUp.installUrl ?? "").searchParams.get("state");
  await ask(`/api/webhooks/slack-installed?state=${state}&code=x`);
  return {
    id,
    async say(eventId: string) {
      const event = {
        type: "message",
        channel_type: "im",
        user: "U0PERSON",
        channel: "D0PERSON",
        text: "Hi",
        ts: "1.2",
      };
      const body = JSON.stringify({ type: "event_callback", event_id: eventId, event });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const mac = createHmac("sha256", SIGNING).update(`v0:${timestamp}:${body}`).digest("hex");
      const headers = { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${mac}` };
      await hook(`/api/webhooks/slack/${id}`, body, headers);
    },
  };
}

let whatsApp: ReturnType<typeof addWhatsApp> | undefined;
const openWhatsApp = () => (whatsApp ??= addWhatsApp());

async function addWhatsApp() {
  const number = { phoneNumberId: PHONE_NUMBER_ID, token: "a token of the test", appSecret: SIGNING };
  const { id } = Channel.parse(JSON.parse(await ask("/api/channels", { kind: "whatsapp", number })));
  const tell = async (value: object) => {
    const metadata = { phone_number_id: PHONE_NUMBER_ID };
    const changes = [{ field: "messages", value: { metadata, ...value } }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ changes }] });
    const mac = createHmac("sha256", SIGNING).update(body).digest("hex");
    await hook(`/api/webhooks/whatsapp/${id}`, body, { "x-hub-signature-256": `sha256=${mac}` });
  };
  const timestamp = () => String(Math.floor(Date.now() / 1_000));
  return {
    id,
    say: (eventId: string) =>
      tell({
        messages: [{ id: eventId, from: "12025550101", timestamp: timestamp(), type: "text", text: { body: "Hi" } }],
      }),
    report: (ref: string) =>
      tell({
        statuses: [{ id: "wamid.X", status: "delivered", timestamp: timestamp(), biz_opaque_callback_data: ref }],
      }),
  };
}

const read = (channelId: string) => product.readLastMessage(channelId);

/** Makes the product answer, and kills it when the carrier has the answer and has said nothing yet. */
async function dieWhileSending(channel: { id: string; say(eventId: string): Promise<void> }, eventId: string) {
  taken = [];
  isDeadly = true;
  await product.whileDying(() => channel.say(eventId));
  isDeadly = false;
  expect(taken).toHaveLength(1);
  expect(await read(channel.id)).toMatchObject({ state: "waiting", unsure: true });
  await product.start();
}

describe("a process that is killed when the carrier has the message and the answer is not stored", () => {
  it("leaves a message that is looked up in Slack, and not sent again", async () => {
    const slack = await addSlack();
    await dieWhileSending(slack, "Ev0KILLED");
    await product.endLease(slack.id);
    await expect.poll(() => read(slack.id), { timeout: 60_000 }).toMatchObject({ state: "sent", repeats: 0 });
    expect(taken).toHaveLength(1);
    // Control: one that Slack does not have is sent.
    await dieWhileSending(slack, "Ev0VANISHED");
    taken = [];
    await product.endLease(slack.id);
    await expect.poll(() => read(slack.id), { timeout: 60_000 }).toMatchObject({ state: "sent" });
    expect(taken).toHaveLength(1);
  });

  it("leaves a message that WhatsApp reports, or one that is sent once more and counted", async () => {
    const whatsapp = await openWhatsApp();
    await dieWhileSending(whatsapp, "wamid.REPORTED");
    const { id } = await read(whatsapp.id);
    await whatsapp.report(id);
    await expect.poll(() => read(whatsapp.id), { timeout: 60_000 }).toMatchObject({ state: "delivered", repeats: 0 });
    await product.endLease(whatsapp.id);
    await dieWhileSending(whatsapp, "wamid.SILENT");
    await product.endLease(whatsapp.id);
    await expect.poll(() => read(whatsapp.id), { timeout: 60_000 }).toMatchObject({ state: "sent", repeats: 1 });
    // The second is the only one, and has the same reference as the first.
    expect(taken).toHaveLength(2);
    const refs = taken.map(({ body }) => z.object({ biz_opaque_callback_data: z.string() }).parse(JSON.parse(body)));
    expect(new Set(refs.map((one) => one.biz_opaque_callback_data)).size).toBe(1);
    const { records } = z
      .object({ records: z.array(z.object({ direction: z.string(), problem: z.string().nullable() })) })
      .parse(JSON.parse(await ask("/api/channels/whatsapp/records")));
    expect(records.find(({ direction }) => direction === "out")?.problem).toContain("may have arrived twice");
  });

  it("twice at the same message, leaves one that is given up as unknown", async () => {
    const channel = await openWhatsApp();
    await dieWhileSending(channel, "wamid.TWICE");
    isDeadly = true;
    await product.whileDying(() => product.endLease(channel.id));
    isDeadly = false;
    await product.start();
    await product.endLease(channel.id);
    await expect
      .poll(() => read(channel.id), { timeout: 60_000 })
      .toMatchObject({ state: "failed", repeats: 1, unsure: true });
    expect(taken).toHaveLength(2);
  });
});
