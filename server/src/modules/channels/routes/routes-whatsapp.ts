import { z } from "zod";
import { definePublicRoute, FileAnswer } from "../../../kernel/contracts/route.ts";
import type { OpenChannel } from "../channels.ts";
import type { Stores } from "../context.ts";
import { type InstallParts, SHARED_APP } from "../installation.ts";
import { findMetaApp, isSameToken, readSharedMetaApp, whatsAppWebhookPath } from "../installation-whatsapp.ts";
import { receiveEvents } from "../receive.ts";
import { CHANNEL_ID } from "./channel-answer.ts";

const TAG = "channels";
/** Meta sends up to 3 MB. */
const MAXIMUM_BODY_BYTES = 3 * 1024 * 1024;

interface RouteParts extends InstallParts {
  stores: Stores;
}

const verifyWebhook = definePublicRoute({
  id: "verify_whatsapp_webhook",
  method: "GET",
  path: whatsAppWebhookPath(":app"),
  tag: TAG,
  summary: "Verify the address for WhatsApp",
  description: "For Meta, which asks once whether this address expects its events.",
  limitByAddress: "refusals",
  params: z.object({ app: z.string().max(40) }),
  query: z.object({
    "hub.mode": z.string().max(50).default(""),
    "hub.verify_token": z.string().max(300).default("").describe("setUp.verifyToken, or the operator's"),
    "hub.challenge": z
      .string()
      .max(300)
      .regex(/^[\w.~-]*$/)
      .default("")
      .describe("Comes back as it is"),
  }),
  answers: { 200: { description: "The challenge.", schema: z.string(), contentType: "text/plain" } },
  errors: { unauthorized: "Refused.", rate_limited: "Refused too often." },
  async run({ params: { app }, query, fail }, parts: RouteParts) {
    const { "hub.mode": mode, "hub.verify_token": token, "hub.challenge": challenge } = query;
    const found = await findReceiver(parts, app, "");
    if (found === undefined || mode !== "subscribe" || !isSameToken(token, found.verifyToken)) {
      throw fail("unauthorized");
    }
    return new FileAnswer({
      content: Buffer.from(challenge),
      contentType: "text/plain; charset=utf-8",
      fileName: "challenge.txt",
    });
  },
});

const receiveWhatsApp = definePublicRoute({
  id: "receive_whatsapp_events",
  method: "POST",
  path: whatsAppWebhookPath(":app"),
  tag: TAG,
  summary: "Receive events of WhatsApp",
  description:
    "For Meta, which signs its requests over the raw body: messages, presses of buttons, and what became of our messages. What is answered 200 is stored; the same may come again.",
  limitByAddress: "refusals",
  mayRead: ({ header }) => header("x-hub-signature-256") !== undefined,
  params: z.object({ app: z.string().max(40) }),
  body: z.object({ object: z.string() }),
  // The signature covers the exact bytes.
  bodyAs: "text",
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "Stored.", schema: z.object({ ok: z.literal(true) }) } },
  errors: {
    // The answer tells nothing to a caller that tries signatures.
    unauthorized: "Refused.",
    too_large: `The body is over ${MAXIMUM_BODY_BYTES} bytes. Send less.`,
    rate_limited: "Refused too often.",
  },
  example: { body: { object: "whatsapp_business_account" } },
  async run({ params: { app }, text, header, fail }, parts: RouteParts) {
    const { whatsapp } = parts.chatSystems;
    const found = await findReceiver(parts, app, text);
    const now = Math.floor(parts.clock.now().epochMilliseconds / 1_000);
    if (found === undefined || !whatsapp.isSigned({ text, header }, found.appSecret, now)) throw fail("unauthorized");
    for (const channel of found.channels) {
      await receiveEvents(parts, channel, whatsapp.readEvents(text, channel.accountId ?? ""));
    }
    return { ok: true as const };
  },
});

export const whatsAppRoutes = [verifyWebhook, receiveWhatsApp];

/** Whose request it can be. The numbers that it names are believed only once the signature is right. */
async function findReceiver(
  parts: RouteParts,
  app: string,
  text: string,
): Promise<{ appSecret: string; verifyToken: string; channels: readonly OpenChannel[] } | undefined> {
  if (app === SHARED_APP) {
    const shared = readSharedMetaApp(parts.settings);
    if (shared === undefined) return undefined;
    const accountIds = parts.chatSystems.whatsapp.readAccounts(text);
    const found = await Promise.all(accountIds.map((id) => parts.stores.channels.openShared("whatsapp", id)));
    return { ...shared, channels: found.flat() };
  }
  const channel = CHANNEL_ID.test(app) ? await parts.stores.channels.open(app) : undefined;
  const own = channel?.kind === "whatsapp" ? findMetaApp(parts, channel) : undefined;
  return channel === undefined || own === undefined || own.isShared ? undefined : { ...own, channels: [channel] };
}
