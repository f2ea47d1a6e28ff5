import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { definePublicRoute } from "../../../kernel/contracts/route.ts";
import type { OpenChannel } from "../channels.ts";
import { type ReceiveParts, receiveMail, receiveReport } from "../email/receive-mail.ts";
import { emailWebhookPath, SHARED_APP } from "../installation.ts";
import { CHANNEL_ID } from "./channel-answer.ts";

const SIGNATURE = "x-wayfare-email-signature";
const MOST_SECONDS = 300;
const BYTES_PER_MEGABYTE = 1_048_576;
/** The largest mail that the listener can be set to take would be too much for one request. */
const MAXIMUM_BODY_BYTES = 29 * BYTES_PER_MEGABYTE;

const Delivered = z.object({
  from: z.string().max(320).describe("The envelope's sender; empty for a delivery report"),
  to: z.array(z.string().max(320)).min(1).max(20).describe("The envelope's recipients"),
  raw: z.base64().describe("The whole mail as it arrived (MIME), in base64"),
  ip: z.union([z.ipv4(), z.ipv6()]).describe("Where your server got it from, for SPF").exactOptional(),
  helo: z.string().max(255).exactOptional(),
});

const receiveEmail = definePublicRoute({
  id: "receive_email",
  method: "POST",
  path: emailWebhookPath(":app"),
  tag: "channels",
  summary: "Receive a mail",
  description: `For a mail provider's inbound delivery: the raw mail with its envelope, signed over the exact body. The header ${SIGNATURE} is \`t=<unix seconds>,v1=<hex>\`, where v1 is the HMAC-SHA256 of \`<t>.<body>\` with EMAIL_WEBHOOK_SECRET; \`app\` is \`shared\`. What is answered 200 is stored; the same mail may come again.`,
  limitByAddress: "refusals",
  mayRead: ({ header }) => header(SIGNATURE) !== undefined,
  params: z.object({ app: z.string().max(40) }),
  body: Delivered,
  // The signature covers the exact bytes.
  bodyAs: "text",
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: {
    200: {
      description: "Stored, for as many channels as it is for; 0: nobody has such an address.",
      schema: z.object({ ok: z.literal(true), channels: z.int() }),
    },
  },
  errors: {
    // The answer tells nothing to a caller that tries signatures.
    unauthorized: "Refused.",
    invalid_input: "The body is no mail with its envelope.",
    too_large: "The mail is too large. Tell its sender to send it without its attachments.",
    rate_limited: "Refused too often.",
  },
  example: {
    body: {
      from: "tess@example.com",
      to: ["travel-7k3m9q9xt2@mail.example.com"],
      raw: "RnJvbTogdGVzc0BleGFtcGxlLmNvbQ0KDQpIZWxsbw==",
    },
    answer: { ok: true, channels: 1 },
  },
  async run({ params: { app }, text, header, fail }, parts: ReceiveParts) {
    const channel = CHANNEL_ID.test(app) ? await parts.stores.channels.open(app) : undefined;
    const secret = app === SHARED_APP ? parts.settings.emailWebhookSecret : findSecret(channel);
    if (secret === undefined || !isSigned(text, header(SIGNATURE) ?? "", secret, parts.clock.now())) {
      throw fail("unauthorized");
    }
    const { data } = Delivered.safeParse(parse(text));
    if (data === undefined) throw fail("invalid_input");
    const { raw, ...envelope } = data;
    const bytes = Buffer.from(raw, "base64");
    const isTooLarge = bytes.length > parts.settings.emailMaximumMegabytes * BYTES_PER_MEGABYTE;
    // The simulator's mails are for its own channel, and nobody else's are.
    const isMeant = (one: OpenChannel) => (app === SHARED_APP ? !one.isSimulated : one.id === app);
    const channels = await receiveMail(parts, envelope, isTooLarge ? "too_large" : bytes, isMeant);
    if (isTooLarge) throw fail("too_large");
    if (app === SHARED_APP) await receiveReport(parts, envelope, bytes);
    return { ok: true as const, channels };
  },
});

export const emailRoutes = [receiveEmail];

function findSecret(channel: OpenChannel | undefined): string | undefined {
  return channel?.kind === "email" ? channel.secrets.signingSecret : undefined;
}

function isSigned(text: string, signature: string, secret: string, now: Temporal.Instant): boolean {
  const [, seconds = "", mac = ""] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (mac === "" || Math.abs(Number(seconds) - now.epochMilliseconds / 1_000) > MOST_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${seconds}.${text}`).digest();
  return timingSafeEqual(expected, Buffer.from(mac, "hex"));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
