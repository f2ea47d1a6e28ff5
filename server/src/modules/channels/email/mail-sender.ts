import { Failure } from "../../../domain/errors.ts";
import { ANSWER_PATH } from "../../../domain/page-paths.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { ChatFailure, type ChatSender, type ChatSending } from "../../../ports/chat.ts";
import type { Mailer } from "../../../ports/mailer.ts";
import { composeMail, type MailPart, words } from "../../outbox/index.ts";
import type { Channel } from "../channels.ts";
import type { Parts } from "../context.ts";
import { deriveSimulated, type InstallParts, setUpSimulated } from "../installation.ts";
import { buildMessageKey, buildOwnAddress, buildReplyAddress, findDomain } from "./addresses.ts";
import { REPLY_LINE } from "./new-text.ts";
import type { MailThread } from "./store-threads.ts";

export type MailSenderParts = InstallParts &
  Pick<CommonParts, "mailer" | "simulatedMail"> &
  Pick<Parts, "stores" | "delivery">;

const LONGEST_TEXT = 50_000;
const LONGEST_SUBJECT = 150;
const SENDER_NAME = "Wayfare";

/** Brings a channel's messages to mailboxes. A mail cannot be changed later, and nobody can be asked whether it has arrived. */
export function createMailSender(parts: MailSenderParts, channel: Channel): ChatSender {
  return {
    windowHours: undefined,
    sendDocument: undefined,
    edit: undefined,
    find: undefined,
    send: (_access, sending) => send(parts, channel, sending),
    async whisper() {
      throw new ChatFailure("refused", "everybody who writes by mail writes directly");
    },
  };
}

async function send(
  parts: MailSenderParts,
  channel: Channel,
  { to, ref, about, message }: ChatSending,
): Promise<string> {
  const { vault, clock, stores, settings, urls } = parts;
  const domain = findDomain(channel, settings.emailDomain);
  const thread = about === undefined ? undefined : await stores.emailThreads.find(channel.id, about);
  const { conversationId } = thread ?? {};
  const own = buildOwnAddress(channel, domain);
  const replyTo =
    conversationId === undefined
      ? own
      : buildReplyAddress(vault, channel, { conversationId, domain, now: clock.now() });
  const messageId = buildMessageKey(vault, ref);
  const links = message.buttons.map(
    ({ value, label }): MailPart => ({
      kind: "link",
      label,
      text: `${new URL(urls.app).origin}${ANSWER_PATH}#${value}`,
    }),
  );
  const letter = composeMail({
    to: { address: to },
    subject: composeSubject(thread),
    language: "en",
    parts: [words(REPLY_LINE), words(message.text.slice(0, LONGEST_TEXT)), ...links],
  });
  const mailer = await findMailer(parts, channel);
  try {
    await mailer.send({
      ...letter,
      messageId,
      from: { address: own, name: SENDER_NAME },
      replyTo,
      references: thread?.references,
      autoSubmitted: thread === undefined ? "auto-generated" : "auto-replied",
    });
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    // A repetition has the same Message-ID, so that the receiver knows it again.
    throw new ChatFailure(cause.code === "mail_refused" ? "refused" : "not_done", cause.code, { cause });
  }
  return `<${messageId}@${domain}>`;
}

function composeSubject(thread: MailThread | undefined): string {
  const subject = toVisibleText(thread?.subject ?? "", LONGEST_SUBJECT);
  if (subject === "") return "Your trip";
  return /^(?:re|aw|sv|rv)\s*:/i.test(subject) ? subject : `Re: ${subject}`;
}

/** Where a tenant's sandbox mail is shown, if it has asked for that. */
export async function findSimulatedMailer(
  parts: MailSenderParts,
  owner: { tenantId: string; environment: Channel["environment"] },
): Promise<Mailer | undefined> {
  if (owner.environment !== "sandbox" || parts.simulatedMail === undefined) return undefined;
  const channels = await parts.stores.channels.listOn(owner);
  const channel = channels.find(({ kind, isSimulated }) => kind === "email" && isSimulated);
  return channel && (await findMailer(parts, channel));
}

/** Sandbox mail of a deployment for real people is shown, never sent; the simulator's never leaves the machine. */
async function findMailer(parts: MailSenderParts, channel: Channel): Promise<Mailer> {
  const { simulatedMail, mailer, delivery, vault } = parts;
  if (channel.isSimulated) {
    if (simulatedMail === undefined) throw new ChatFailure("refused", "the carrier simulator is off");
    // It forgets everything when it ends.
    await setUpSimulated(parts, channel);
    return simulatedMail.mailer(deriveSimulated(vault, channel).playground);
  }
  if (delivery.kept === channel.environment) throw new ChatFailure("refused", "sandbox mail is kept");
  if (mailer === undefined) throw new ChatFailure("not_done", "the operator has no mail server");
  return mailer;
}
