import { createHmac, timingSafeEqual } from "node:crypto";
import type { RandomBytes } from "../../../domain/ids.ts";
import type { Vault } from "../../../ports/vault.ts";
import type { Channel } from "../channels.ts";

/** Where people write to the simulator. The domain is reserved for tests (RFC 2606). */
export const SIMULATED_DOMAIN = "wayfare.test";

const REPLY = "reply";
/** How long a reply goes on with the conversation of the mail that it answers. Later ones go on with the current one. */
const REPLY_DAYS = 60;
/** The letters of ULIDs, in lower case: mail servers do not keep the case of addresses. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const MAC_LETTERS = 20;
const TOKEN = /^([0-9a-z]{26})([0-9a-z]{4})([0-9a-hjkmnp-tv-z]{20})$/;
const DAY_MILLISECONDS = 86_400_000;

/** The local part of a new channel's own address. */
export function newLocalPart(random: RandomBytes): string {
  return `travel-${Array.from(random(10), (byte) => LETTERS.charAt(byte & 31)).join("")}`;
}

type Place = Pick<Channel, "id" | "tenantId" | "environment" | "isSimulated" | "accountId">;

export function findDomain({ isSimulated }: Pick<Channel, "isSimulated">, emailDomain: string | undefined): string {
  return isSimulated ? SIMULATED_DOMAIN : (emailDomain ?? "");
}

export const buildOwnAddress = (channel: Place, domain: string): string => `${channel.accountId ?? ""}@${domain}`;

/** An address for replies in this conversation. It says where a mail belongs, never who wrote it. */
export function buildReplyAddress(
  vault: Vault,
  channel: Place,
  { conversationId, domain, now }: { conversationId: string; domain: string; now: Temporal.Instant },
): string {
  const until = Math.ceil(now.epochMilliseconds / DAY_MILLISECONDS) + REPLY_DAYS;
  const signed = `${conversationId.slice("cnv_".length).toLowerCase()}${until.toString(36).padStart(4, "0")}`;
  return `${REPLY}+${signed}${sign(vault, channel, signed)}@${domain}`;
}

export interface ReplyToken {
  readonly conversationId: string;
  readonly signed: string;
  readonly mac: string;
  readonly until: Temporal.Instant;
}

/** Undefined: it is no such address. Its signature is still to be checked, with the channel of the conversation. */
export function readReplyToken(localPart: string): ReplyToken | undefined {
  const [tag, token = ""] = localPart.toLowerCase().split("+");
  const [all, id, day, mac] = TOKEN.exec(token) ?? [];
  if (tag !== REPLY || all === undefined || id === undefined || day === undefined || mac === undefined)
    return undefined;
  return {
    conversationId: `cnv_${id.toUpperCase()}`,
    signed: `${id}${day}`,
    mac,
    until: Temporal.Instant.fromEpochMilliseconds(Number.parseInt(day, 36) * DAY_MILLISECONDS),
  };
}

export function isReplySigned(vault: Vault, channel: Place, { signed, mac }: ReplyToken): boolean {
  return timingSafeEqual(Buffer.from(sign(vault, channel, signed)), Buffer.from(mac));
}

function sign(vault: Vault, { id, tenantId, environment }: Place, signed: string): string {
  const said = JSON.stringify([tenantId, environment, id, signed]);
  return toLetters(createHmac("sha256", vault.deriveKey("email reply addresses")).update(said).digest(), MAC_LETTERS);
}

/** The Message-ID of a message, without its domain: the same however often it is sent. Nobody makes one up who has not seen it. */
export function buildMessageKey(vault: Vault, messageId: string): string {
  const mac = createHmac("sha256", vault.deriveKey("email message ids")).update(messageId).digest();
  return `mail.${messageId.slice("cmg_".length).toLowerCase()}.${toLetters(mac, 12)}`;
}

/** Our own id of the message that had this Message-ID. Undefined: it is none of ours. */
export function readMessageId(vault: Vault, given: string): string | undefined {
  const [, key = "", ulid = ""] = /^<(mail\.([0-9a-z]{26})\.[0-9a-z]{12})@[^>]+>$/.exec(given.toLowerCase()) ?? [];
  const id = `cmg_${ulid.toUpperCase()}`;
  return key !== "" && buildMessageKey(vault, id) === key ? id : undefined;
}

const toLetters = (bytes: Uint8Array, count: number): string =>
  Array.from(bytes.subarray(0, count), (byte) => LETTERS.charAt(byte & 31)).join("");
