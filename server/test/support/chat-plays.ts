import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { deriveSimulated } from "../../src/modules/channels/installation.ts";
import { openVault } from "../../src/outside/vault.ts";
import { ApprovalDesk } from "./approval-desk.ts";
import { until } from "./embedded-fixture.ts";
import type { TestService } from "./service.ts";
import { openSharedService } from "./shared-service.ts";
import * as slackPlay from "./slack-play.ts";
import * as whatsAppPlay from "./whatsapp-play.ts";

export const CHAT_KINDS = ["slack", "whatsapp"] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
type Member = "traveler" | "approver" | "colleague";

interface SeenMessage {
  readonly id: string;
  /** As people read it. */
  readonly text: string;
  /** As it came. */
  readonly raw: string;
  readonly buttons: readonly { label: string; value: string }[];
  readonly isEdited: boolean;
  readonly files: readonly { id: string; name: string }[];
}

/** A request of the chat system that tells of a message, as it signs it. */
interface SignedRequest {
  readonly secret?: string;
  /** Only Slack signs the time. */
  readonly ageSeconds?: number;
  /** Sent in place of the text that was signed. */
  readonly altered?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Both chat systems as their pages play them, in the same words: for what is true of both. */
export interface ChatPlay {
  readonly kind: ChatKind;
  readonly channelId: string;
  link(member: Member, key: string, codes?: string): Promise<void>;
  say(member: Member, text: string): Promise<void>;
  /** Messages of the app to the member. */
  listReceived(member: Member): Promise<readonly SeenMessage[]>;
  see(member: Member, text: string): Promise<SeenMessage>;
  press(member: Member, message: SeenMessage, label: string): Promise<unknown>;
  /** For the next messages out. */
  arm(fault: string, times?: number): Promise<void>;
  /** For the next message with a document. */
  armDocument(fault: string): Promise<void>;
  /** Only WhatsApp minds. */
  beSilent(member: Member, hours: number): Promise<void>;
  readFiles(message: SeenMessage): Promise<readonly { name: string; content: Buffer }[]>;
  /** A message of the traveler with this id of its event. */
  compose(eventId: string, text: string): Promise<string>;
  deliver(body: string, how?: SignedRequest): Promise<{ status: number }>;
}

export async function playChats(service: TestService, desk: ApprovalDesk): Promise<Record<ChatKind, ChatPlay>> {
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  const simulated = deriveSimulated(await openVault(service.config), owner);
  const slack = playSlack(service, await slackPlay.playSlack(service, desk), simulated.slack.signingSecret);
  const whatsapp = playWhatsApp(service, await whatsAppPlay.playWhatsApp(service, desk), simulated.whatsapp);
  return { slack, whatsapp };
}

/** The worker's product with a tenant that has both, and an approver whom both know. */
export async function openChats() {
  const service = await openSharedService();
  const desk = new ApprovalDesk(service);
  const approver = await desk.newPerson("Grace", "approver");
  const plays = await playChats(service, desk);
  for (const kind of CHAT_KINDS) await plays[kind].link("approver", approver.key);
  return { service, desk, approver, plays };
}

export type Chats = Awaited<ReturnType<typeof openChats>>;

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const sign = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex");

const readFiles = (base: string, files: SeenMessage["files"]) =>
  Promise.all(
    files.map(async ({ id, name }) => ({
      name,
      content: Buffer.from(await (await fetch(`${base}/files/${id}`)).arrayBuffer()),
    })),
  );

function playSlack(service: TestService, slack: slackPlay.SlackPlay, signingSecret: string): ChatPlay {
  const ids = { traveler: slackPlay.TRAVELER, approver: slackPlay.APPROVER, colleague: slackPlay.COLLEAGUE };
  const placeFor = (member: Member) => slackPlay.direct(ids[member]);
  type Shown = Awaited<ReturnType<typeof slack.see>>;
  const toSeen = ({ ts, text, ...message }: Shown): SeenMessage => ({
    ...message,
    id: ts,
    text: text.replaceAll("\u2060", ""),
    raw: text,
  });
  const listReceived = async (member: Member) =>
    (await slack.list(placeFor(member))).filter(({ userId }) => userId === null).map(toSeen);
  return {
    kind: "slack",
    channelId: slack.channelId,
    link: (member, key, codes) => slack.link(ids[member], key, codes),
    say: (member, text) => slack.say(ids[member], text),
    listReceived,
    see: (member, text) => until(async () => (await listReceived(member)).findLast((one) => one.text.includes(text))),
    press: (member, message, label) =>
      slack.press(ids[member], placeFor(member), { ...message, ts: message.id }, label),
    async arm(fault, times = 1) {
      const scenario = { path: "/slack/api/chat.postMessage", playground: slack.playground, fault, times };
      expect((await slack.control("faults", scenario)).status).toBe(201);
    },
    async armDocument(fault) {
      const method = fault === "missing_scope" ? "getUploadURLExternal" : "completeUploadExternal";
      const path = `/slack/api/files.${method}`;
      expect((await slack.control("faults", { path, playground: slack.playground, fault, times: 1 })).status).toBe(201);
    },
    beSilent: async () => undefined,
    readFiles: ({ files }) => readFiles(slack.base, files),
    compose: async (event_id, text) =>
      JSON.stringify({
        type: "event_callback",
        event_id,
        event: { type: "message", channel_type: "im", user: ids.traveler, channel: placeFor("traveler"), text },
      }),
    deliver(body, { secret = signingSecret, ageSeconds = 0, altered = body, headers = {} } = {}) {
      const timestamp = String(nowSeconds() - ageSeconds);
      const signed = {
        "content-type": "application/json",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": `v0=${sign(secret, `v0:${timestamp}:${body}`)}`,
      };
      const path = `/api/webhooks/slack/${slack.channelId}`;
      return service.send(path, { method: "POST", headers: { ...signed, ...headers }, body: altered });
    },
  };
}

function playWhatsApp(
  service: TestService,
  whatsapp: whatsAppPlay.WhatsAppPlay,
  { appSecret, phoneNumberId }: { appSecret: string; phoneNumberId: string },
): ChatPlay {
  const toSeen = (message: whatsAppPlay.ChatMessage): SeenMessage => ({
    ...message,
    raw: message.text,
    isEdited: false,
  });
  return {
    kind: "whatsapp",
    channelId: whatsapp.channelId,
    link: (member, key, codes) => whatsapp.link(member, key, codes),
    say: (member, text) => whatsapp.say(member, text),
    listReceived: async (member) => (await whatsapp.list(member)).filter(({ isOwn }) => !isOwn).map(toSeen),
    see: async (member, text) => toSeen(await whatsapp.see(member, text)),
    press: (member, message, label) => whatsapp.press(member, message, label),
    arm: (fault, times) => whatsapp.arm(fault, "/whatsapp/api/", times),
    armDocument: (fault) => whatsapp.arm(fault, `/whatsapp/api/${phoneNumberId}/messages`),
    beSilent: (member, hours) => whatsapp.beSilent(member, hours),
    readFiles: ({ files }) => readFiles(whatsapp.base, files),
    async compose(id, text) {
      const { phone, userId } = await whatsapp.findPerson("traveler");
      const timestamp = String(nowSeconds());
      const message = { id, from: phone, from_user_id: userId, timestamp, type: "text", text: { body: text } };
      const value = { metadata: { phone_number_id: phoneNumberId }, messages: [message] };
      const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
      return JSON.stringify({ object: "whatsapp_business_account", entry });
    },
    deliver(body, { secret = appSecret, altered = body, headers = {} } = {}) {
      const signed = { "content-type": "application/json", "x-hub-signature-256": `sha256=${sign(secret, body)}` };
      const path = `/api/webhooks/whatsapp/${whatsapp.channelId}`;
      return service.send(path, { method: "POST", headers: { ...signed, ...headers }, body: altered });
    },
  };
}
