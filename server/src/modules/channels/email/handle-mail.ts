import { createHash } from "node:crypto";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { NoTurn } from "../../../platform/batching/turns.ts";
import type { TakenItem } from "../../../platform/inbox/store-inbox.ts";
import { NotYet } from "../../../platform/inbox/work-on-inbox.ts";
import type { ParsedMail } from "../../../ports/mail-in.ts";
import type { ChannelPerson, OpenChannel } from "../channels.ts";
import type { Parts } from "../context.ts";
import { NEW_CONVERSATION, tryCode } from "../handling/handle-message.ts";
import { type HandlingParts, notice } from "../handling/handling.ts";
import { sayInName } from "../handling/say-in-name.ts";
import { readCode } from "../link-codes.ts";
import type { InboxItem } from "../stores/store-events.ts";
import { TEXTS } from "../texts.ts";
import { findDomain, isReplySigned, readReplyToken } from "./addresses.ts";
import { describeAttachments } from "./attachments.ts";
import { knowByAddress } from "./known-addresses.ts";
import { findRobot, readWords } from "./read-mail.ts";
import { openMail, type StoredMail } from "./receive-mail.ts";
import { takeReport } from "./take-report.ts";

export type MailParts = HandlingParts &
  Pick<CommonParts, "mailIn" | "mailDns" | "simulatedMail" | "kernel"> &
  Pick<Parts, "settings" | "mailTurns">;

/** A signed mail of another time is a copy that somebody kept. */
const OLDEST = { hours: 10 * 24 };
const CLOCKS_DIFFER = { hours: 24 };
/** Two programs that write to each other without a sign of it end here. */
const MOST_MAILS = 20;
const MAILS_SECONDS = 3_600;
/** Answers to people whom nobody knows here, all together. */
const MOST_STRANGERS = 30;

interface Mail {
  readonly channel: OpenChannel;
  readonly stored: StoredMail;
  readonly parsed: ParsedMail;
  readonly address: string;
}

/** Handles a stored mail; what it stores is stored once. Mails are large, so that few are in memory at once. */
export async function handleMail(parts: MailParts, item: TakenItem<InboxItem>): Promise<string> {
  const channel = await parts.stores.channels.open(item.channelId ?? "");
  const stored = openMail(parts.vault, item);
  if (channel === undefined || stored === undefined) return "no such channel";
  try {
    return await parts.mailTurns.take("all", async () => {
      const raw = await parts.stores.emailMails.read(channel, stored.eventId);
      if (raw === undefined) return "it was handled before";
      const outcome = channel.state === "on" ? await judge(parts, channel, stored, raw) : "the channel is off";
      await parts.stores.emailMails.remove(channel, stored.eventId);
      return outcome;
    });
  } catch (error) {
    if (error instanceof NoTurn) throw new NotYet("other mails are handled first");
    throw error;
  }
}

async function judge(parts: MailParts, channel: OpenChannel, stored: StoredMail, raw: Uint8Array): Promise<string> {
  const parsed = await parts.mailIn.parse(raw).catch(() => undefined);
  if (parsed === undefined) return "refused: it is no mail";
  if (parsed.report !== undefined) return await takeReport(parts, channel.id, parsed.report);
  const { from: address, sentAt } = parsed;
  if (address === undefined) return "refused: it has no single sender";
  if (address.endsWith(`@${findDomain(channel, parts.settings.emailDomain)}`))
    return "refused: it is from an address of ours";
  const robot = findRobot(parsed, stored.from);
  if (robot !== undefined) return `not answered: ${robot}`;
  // Real domains prove nothing in the simulator, and its domains prove nothing anywhere else.
  const resolve = channel.isSimulated ? parts.simulatedMail?.resolve : parts.mailDns;
  if (resolve === undefined) return "refused: the carrier simulator is off";
  const proof = await parts.mailIn.authenticate(raw, stored, resolve);
  if (proof.state === "again") throw new NotYet(`the DNS gives no answer: ${proof.says}`);
  if (proof.state === "not_proved") return `refused: nothing proves the sender (${proof.says})`;
  const now = parts.clock.now();
  const isTimely =
    sentAt !== undefined &&
    Temporal.Instant.compare(sentAt, now.subtract(OLDEST)) >= 0 &&
    Temporal.Instant.compare(sentAt, now.add(CLOCKS_DIFFER)) <= 0;
  if (!isTimely) return "refused: it was not written lately";
  return await answer(parts, { channel, stored, parsed, address });
}

/** The sender is proved from here on. */
async function answer(parts: MailParts, mail: Mail): Promise<string> {
  const { stores } = parts;
  const { channel, stored, parsed, address } = mail;
  const seen = await stores.channelPeople.see(channel, {
    externalId: address,
    address,
    phone: undefined,
    at: parts.clock.now(),
  });
  const mails = await stores.conversationLinks.countAttempt(channel, `mail:${seen.id}`, MAILS_SECONDS);
  if (mails > MOST_MAILS) return "not answered: too many mails within an hour";
  const person = await knowByAddress(parts, channel, seen);
  const text = readWords(parsed);
  const event = { id: stored.eventId, address, from: address, text };
  const references = [...parsed.references, ...(parsed.messageId === undefined ? [] : [parsed.messageId])];
  const thread = { references, subject: parsed.subject };
  await stores.emailThreads.open(channel, stored.eventId, address, thread);
  const code = readCode(text.split("\n")[0] ?? "");
  if (code !== undefined && (await tryCode(parts, channel, { person, event, code }))) return "code";
  if (person.userId === undefined) return await answerStranger(parts, mail, thread);
  if (NEW_CONVERSATION.test(text)) {
    await stores.channelPeople.converse(person.id, undefined);
    await notice(parts, channel, event, TEXTS.newConversation);
    return "a new conversation";
  }
  const documents = await describeAttachments(parts, person, parsed.attachments, text);
  const said = [text, ...documents].filter((part) => part !== "").join("\n\n");
  if (said === "") {
    await notice(parts, channel, event, TEXTS.textOnly);
    return "no text";
  }
  const conversationId = (await findReplied(parts, mail, person)) ?? person.conversationId;
  const handled = await sayInName(parts, channel, { ...person, conversationId }, { ...event, text: said, began });
  return typeof handled === "string" ? handled : handled.outcome;

  function began(turn: { conversationId: string; turnId: string }): Promise<void> {
    return stores.emailThreads.began(channel, stored.eventId, turn);
  }
}

/** Once, however often the person writes, and not to everybody at once. */
async function answerStranger(
  parts: MailParts,
  { channel, address }: Mail,
  thread: { references: readonly string[]; subject: string },
): Promise<string> {
  const { stores } = parts;
  const id = `stranger:${createHash("sha256").update(address).digest("base64url")}`;
  const count = await stores.conversationLinks.countAttempt(channel, `mail-strangers:${channel.id}`, MAILS_SECONDS);
  if (count > MOST_STRANGERS) return "a stranger, not answered";
  await stores.emailThreads.open(channel, id, address, { ...thread, references: [...thread.references] });
  await notice(parts, channel, { id, address }, TEXTS.stranger);
  return "a stranger";
}

/** The conversation of the mail that this one answers, if it is the person's own. */
async function findReplied(
  { vault, clock, conversations }: MailParts,
  { channel, stored }: Mail,
  { userId = "" }: ChannelPerson,
): Promise<string | undefined> {
  const owner = { tenantId: channel.tenantId, environment: channel.environment, ownerId: userId };
  for (const recipient of stored.to) {
    const token = readReplyToken(recipient.split("@")[0] ?? "");
    if (token === undefined || !isReplySigned(vault, channel, token)) continue;
    if (Temporal.Instant.compare(token.until, clock.now()) <= 0) continue;
    if ((await conversations.read(owner, token.conversationId)) !== undefined) return token.conversationId;
  }
  return undefined;
}
