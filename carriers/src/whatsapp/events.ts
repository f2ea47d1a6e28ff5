import { createHmac } from "node:crypto";
import type { Faults } from "../faults.ts";
import type { Playground } from "../play/playground.ts";
import type { EventSender } from "../send-events.ts";
import {
  addMessage,
  findPerson,
  newMediaId,
  newMessageId,
  newUserId,
  type WhatsAppAccount,
  type WhatsAppMessage,
  type WhatsAppPerson,
} from "./account.ts";

/** Where a business's webhooks leave. */
export interface Webhooks {
  readonly sender: EventSender;
  readonly takeFault: Faults["take"];
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
/** Older than any repetition. */
const OLD_SECONDS = 8 * 24 * 3_600;

/** One change of the field `messages`, signed as Meta signs it. */
function sendChange(
  { sender, takeFault }: Webhooks,
  { id: playground }: Playground,
  { setup }: WhatsAppAccount,
  write: (atSeconds: number) => object,
): void {
  const fault = takeFault("/_webhooks/whatsapp", playground);
  if (fault === "lost") return;
  const body = JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      {
        id: "102290129340398",
        changes: [
          {
            field: "messages",
            value: {
              messaging_product: "whatsapp",
              metadata: { display_phone_number: setup.displayNumber, phone_number_id: setup.phoneNumberId },
              ...write(nowSeconds() - (fault === "old" ? OLD_SECONDS : 0)),
            },
          },
        ],
      },
    ],
  });
  const secret = fault === "forged" ? "the secret of another app" : setup.appSecret;
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  sender.send({
    carrier: "whatsapp",
    playground,
    url: setup.webhookUrl,
    body,
    headers: () => ({ "content-type": "application/json", "x-hub-signature-256": signature }),
  });
}

const identify = ({ phone, userId }: WhatsAppPerson) => ({
  ...(phone === undefined ? {} : { from: phone }),
  from_user_id: userId,
});

function sendMessage(
  webhooks: Webhooks,
  playground: Playground,
  account: WhatsAppAccount,
  person: WhatsAppPerson,
  message: { id: string } & Record<string, unknown>,
): void {
  const { name, phone, userId } = person;
  person.wroteAt = Date.now();
  sendChange(webhooks, playground, account, (at) => ({
    contacts: [{ profile: { name }, ...(phone === undefined ? {} : { wa_id: phone }), user_id: userId }],
    messages: [{ ...identify(person), timestamp: String(at), ...message }],
  }));
  playground.changed();
}

interface Player {
  readonly webhooks: Webhooks;
  readonly playground: Playground;
}

/** Somebody writes. Undefined: there is no such person. */
export function sayOnWhatsApp(
  { webhooks, playground }: Player,
  { key, text, isGroup = false }: { key: string; text: string; isGroup?: boolean | undefined },
): string | undefined {
  const account = playground.whatsapp;
  const person = account && findPerson(account, key);
  if (account === undefined || person === undefined) return undefined;
  readAll({ webhooks, playground }, key);
  const { id } = addMessage(person, { isOwn: true, text, buttons: [], type: "text", ref: undefined });
  const group = isGroup ? { group_id: "group-1" } : {};
  sendMessage(webhooks, playground, account, person, { id, type: "text", text: { body: text }, ...group });
  return id;
}

const MOST_MEDIA = 20;

/** Somebody sends a document or a picture. Undefined: there is no such person. */
export function sendMedia(
  { webhooks, playground }: Player,
  { key, contentType, fileName, content }: { key: string; contentType: string; fileName: string; content: Buffer },
): string | undefined {
  const account = playground.whatsapp;
  const person = account && findPerson(account, key);
  if (account === undefined || person === undefined) return undefined;
  const mediaId = newMediaId();
  account.media.set(mediaId, { contentType, content });
  for (const [oldest] of account.media) {
    if (account.media.size <= MOST_MEDIA) break;
    account.media.delete(oldest);
  }
  const type = contentType.startsWith("image/") ? "image" : "document";
  const { id } = addMessage(person, { isOwn: true, text: fileName, buttons: [], type, ref: undefined });
  const media = { id: mediaId, mime_type: contentType, ...(type === "document" ? { filename: fileName } : {}) };
  sendMessage(webhooks, playground, account, person, { id, type, [type]: media });
  return id;
}

/** Somebody presses a button of a message, also one that was answered before. False: there is none like that. */
export function pressOnWhatsApp(
  { webhooks, playground }: Player,
  { key, messageId, value }: { key: string; messageId: string; value: string },
): boolean {
  const account = playground.whatsapp;
  const person = account && findPerson(account, key);
  // Whoever else sees a message that was shown around could press it, too.
  const message = account?.people.flatMap(({ messages }) => messages).find(({ id }) => id === messageId);
  const button = message?.buttons.find((one) => one.value === value);
  if (account === undefined || person === undefined || message === undefined || button === undefined) return false;
  readAll({ webhooks, playground }, key);
  const { label: title } = button;
  const { id } = addMessage(person, { isOwn: true, text: title, buttons: [], type: "button_reply", ref: undefined });
  const context = { from: account.setup.displayNumber, id: messageId };
  const pressed =
    message.type === "button" || message.type === "list"
      ? {
          type: "interactive",
          interactive: { type: `${message.type}_reply`, [`${message.type}_reply`]: { id: value, title } },
        }
      : { type: "button", button: { payload: value, text: title } };
  sendMessage(webhooks, playground, account, person, { id, context, ...pressed });
  return true;
}

/** The person has seen everything. */
export function readAll(player: Player, key: string): void {
  const { whatsapp: account } = player.playground;
  const person = account && findPerson(account, key);
  if (account === undefined || person === undefined) return;
  for (const message of person.messages) {
    if (!message.isOwn && message.status === "delivered") tellStatus(player, account, person, message, "read");
  }
}

/** The same person has another id: with a new phone number, or one that is hidden. */
export function changeId({ webhooks, playground }: Player, key: string, phone: string | undefined): boolean {
  const account = playground.whatsapp;
  const person = account && findPerson(account, key);
  if (account === undefined || person === undefined) return false;
  const before = identify(person);
  const previous = person.userId;
  person.userId = newUserId();
  person.phone = phone;
  const type = phone === undefined ? "user_changed_user_id" : "user_changed_number";
  const system = {
    body: `User ${person.name} changed`,
    type,
    ...(phone === undefined ? {} : { wa_id: phone }),
    user_id: person.userId,
    previous_user_id: previous,
  };
  sendChange(webhooks, playground, account, (at) => ({
    messages: [{ ...before, id: newMessageId(), timestamp: String(at), type: "system", system }],
  }));
  playground.changed();
  return true;
}

const WINDOW_CLOSED = {
  code: 131_047,
  title: "Re-engagement message",
  message: "Re-engagement message",
  error_data: { details: "More than 24 hours have passed since the recipient last replied." },
};
export const UNDELIVERABLE = { code: 131_026, title: "Message undeliverable", message: "Message undeliverable" };

/** Tells the business how far its message has come. */
export function tellStatus(
  { webhooks, playground }: Player,
  account: WhatsAppAccount,
  person: WhatsAppPerson | undefined,
  message: WhatsAppMessage,
  status: "sent" | "delivered" | "read" | "failed",
  error: object = WINDOW_CLOSED,
): void {
  message.status = status;
  sendChange(webhooks, playground, account, (at) => ({
    statuses: [
      {
        id: message.id,
        status,
        timestamp: String(at),
        ...(person?.phone === undefined ? {} : { recipient_id: person.phone }),
        ...(person === undefined ? {} : { recipient_user_id: person.userId }),
        ...(message.ref === undefined ? {} : { biz_opaque_callback_data: message.ref }),
        ...(status === "failed" ? { errors: [error] } : {}),
      },
    ],
  }));
  playground.changed();
}
