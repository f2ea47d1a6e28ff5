import { createHash } from "node:crypto";
import { z } from "zod";
import { currentTraceId } from "../../../domain/trace.ts";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import type { MailEnvelope } from "../../../ports/mail-in.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { OpenChannel } from "../channels.ts";
import type { Parts } from "../context.ts";
import type { InboxItem } from "../stores/store-events.ts";
import { findDomain, isReplySigned, readReplyToken } from "./addresses.ts";
import { takeReport } from "./take-report.ts";

export type ReceiveParts = Pick<CommonParts, "vault" | "clock" | "mailIn" | "log"> & Pick<Parts, "stores" | "settings">;

const StoredMail = z.object({
  /** Without the channel's id. */
  eventId: z.string(),
  from: z.string(),
  to: z.array(z.string()),
  ip: z.string().optional(),
  helo: z.string().optional(),
});
export type StoredMail = z.output<typeof StoredMail>;

const sealingContext = (id: string): string => `channel_event ${id}`;

/** The channel to which an address belongs. Undefined: there is no such address. */
export async function findReceiver(
  { stores, settings, vault }: Pick<ReceiveParts, "stores" | "settings" | "vault">,
  recipient: string,
): Promise<OpenChannel | undefined> {
  const [local = "", domain = ""] = recipient.toLowerCase().split("@");
  const token = readReplyToken(local);
  const channel =
    token === undefined
      ? await stores.channels.openAccount("email", local)
      : await openReplied(stores, token.conversationId);
  if (channel === undefined || domain !== findDomain(channel, settings.emailDomain)) return undefined;
  return token === undefined || isReplySigned(vault, channel, token) ? channel : undefined;
}

async function openReplied(stores: ReceiveParts["stores"], conversationId: string): Promise<OpenChannel | undefined> {
  const channelId = await stores.emailThreads.findChannel(conversationId);
  return channelId === undefined ? undefined : await stores.channels.open(channelId);
}

/** Stores a mail for each channel that it is for, before anybody is told that it was accepted. Returns how many there are. */
export async function receiveMail(
  parts: ReceiveParts,
  envelope: MailEnvelope,
  raw: Uint8Array | "too_large",
  isMeant: (channel: OpenChannel) => boolean = () => true,
): Promise<number> {
  const channels = new Map<string, { channel: OpenChannel; to: string[] }>();
  for (const recipient of envelope.to) {
    const channel = await findReceiver(parts, recipient);
    if (channel === undefined || !isMeant(channel)) continue;
    const to = [...(channels.get(channel.id)?.to ?? []), recipient];
    channels.set(channel.id, { channel, to });
  }
  for (const { channel, to } of channels.values()) {
    if (raw === "too_large") await recordTooLarge(parts, channel, envelope);
    else await store(parts, channel, { ...envelope, to }, raw);
  }
  return channels.size;
}

/** Whether it is the address that mails of ours have as their sender, besides those of conversations. */
export const isSender = ({ settings }: Pick<ReceiveParts, "settings">, recipient: string): boolean =>
  recipient.toLowerCase() === settings.mailFrom?.address.toLowerCase();

/** Marks the mails that a report to this address is about, before anybody is told that it was accepted. False: it is no report. */
export async function receiveReport(
  parts: ReceiveParts,
  { to }: Pick<MailEnvelope, "to">,
  raw: Uint8Array | "too_large",
): Promise<boolean> {
  if (raw === "too_large" || !to.some((recipient) => isSender(parts, recipient))) return false;
  const { report } = (await parts.mailIn.parse(raw).catch(() => undefined)) ?? {};
  if (report === undefined) return false;
  parts.log.info({ outcome: await takeReport(parts, undefined, report) }, "a delivery report was taken");
  return true;
}

async function store(
  { mailIn, stores, vault, clock }: ReceiveParts,
  channel: OpenChannel,
  envelope: MailEnvelope,
  raw: Uint8Array,
): Promise<void> {
  // A mail that cannot be read is recorded, too.
  const parsed = await mailIn.parse(raw).catch(() => undefined);
  const contentHash = parsed?.contentHash ?? hash(raw);
  const eventId = `mail:${contentHash}`;
  const thread = `${channel.id}:${parsed?.from ?? "nobody"}`;
  const hashes = [contentHash, ...(parsed?.messageId === undefined ? [] : [hash(parsed.messageId)])];
  await stores.transaction(async ({ emailThreads, emailMails, channelInbox }) => {
    if (!(await emailThreads.see(channel, hashes))) return;
    await emailMails.insert(channel, eventId, raw);
    await channelInbox.receive(
      channel.environment,
      seal(vault, channel, thread, { eventId, ...envelope, to: [...envelope.to] }),
      clock.now(),
    );
  });
}

async function recordTooLarge(
  { stores, vault, clock }: ReceiveParts,
  channel: OpenChannel,
  envelope: MailEnvelope,
): Promise<void> {
  const eventId = `large:${hash(`${envelope.from} ${clock.now().toString()}`)}`;
  const item = seal(vault, channel, `${channel.id}:large`, { eventId, ...envelope, to: [...envelope.to] });
  await stores.transaction(async ({ channelInbox }) => {
    await channelInbox.receive(channel.environment, item, clock.now());
    await channelInbox.done(channel.environment, item.id, "refused: it is too large");
  });
}

function seal(vault: Vault, { id: channelId, tenantId }: OpenChannel, thread: string, mail: StoredMail): InboxItem {
  const id = `${channelId}:${mail.eventId}`;
  const encryptedEvent = vault.encrypt(JSON.stringify(mail), sealingContext(id));
  return {
    id,
    tenantId,
    source: "mail",
    channelId,
    thread,
    about: null,
    encryptedEvent,
    traceId: currentTraceId() ?? null,
  };
}

/** Undefined: the item has none. */
export function openMail(vault: Vault, { id, encryptedEvent }: InboxItem): StoredMail | undefined {
  if (encryptedEvent === null) return undefined;
  return StoredMail.parse(JSON.parse(vault.decrypt(encryptedEvent, sealingContext(id))));
}

const hash = (value: string | Uint8Array): string => createHash("sha256").update(value).digest("base64url");
