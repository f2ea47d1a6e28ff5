import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { composeMail, type MailPart, words } from "../../outbox/index.ts";
import type { Parts } from "../context.ts";
import { buildOwnAddress, findDomain } from "../email/addresses.ts";
import { findPlace } from "./channel-notices.ts";
import type { NoticeChannel } from "./notice-kinds.ts";
import { readNoticeKind } from "./notice-kinds.ts";
import type { Notice } from "./notices.ts";
import { findEndOfQuiet } from "./quiet-hours.ts";
import { buildUnsubscribeLinks } from "./unsubscribe-links.ts";

export type NoticeParts = Pick<CommonParts, "clock" | "vault" | "urls" | "log"> &
  Pick<Parts, "stores" | "settings" | "delivery" | "portsFor">;

const LEASE = { seconds: 60 };
const MOST_AT_ONCE = 50;
/** Nobody needs it afterwards. */
const OLDEST = { hours: 72 };
const MAIL_LIFETIME = { hours: 24 };
const AGAIN = { minutes: 5 };

type Traits = NonNullable<ReturnType<typeof readNoticeKind>>;

/** Hands each due notice to one channel of its person, once: the channel's own row has the notice's id. */
export async function deliverNotices(parts: NoticeParts): Promise<void> {
  const { stores, clock, log } = parts;
  for (;;) {
    const due = await stores.notices.take({ until: clock.now().add(LEASE), limit: MOST_AT_ONCE });
    for (const notice of due) {
      await deliver(parts, notice).catch(async (err: unknown) => {
        log.warn({ err, noticeId: notice.id }, "a notice is tried again later");
        await stores.notices.wait(notice.id, clock.now().add(AGAIN));
      });
    }
    if (due.length < MOST_AT_ONCE) return;
  }
}

async function deliver(parts: NoticeParts, notice: Notice): Promise<void> {
  const { stores, clock } = parts;
  const skip = (reason: string) => stores.notices.end(notice.id, { state: "skipped", reason });
  const traits = readNoticeKind(notice.kind);
  const preference = await stores.noticePreferences.find(notice, notice.userId);
  if (traits === undefined || preference === undefined) return await skip("nobody wants it any more");
  const now = clock.now();
  if (Temporal.Instant.compare(notice.createdAt.add(OLDEST), now) < 0) return await skip("it is too old");
  if (!traits.isNecessary && preference.muted.includes(notice.kind))
    return await skip("the person does not want this kind");
  const quietUntil = traits.isUrgent ? undefined : findEndOfQuiet(now, preference);
  if (quietUntil !== undefined) return await stores.notices.wait(notice.id, quietUntil);
  for (const channel of preference.channels) {
    const isReached =
      channel === "email" ? await mail(parts, notice, traits) : await write(parts, notice, traits, channel);
    if (isReached) return await stores.notices.end(notice.id, { state: "sent", channel });
  }
  await skip("none of the person's channels reaches them");
}

function say({ says }: Traits, { data, environment }: Notice): string {
  const { orderId, invoiceNumber } = data;
  return [
    says,
    ...(typeof orderId === "string" ? [`Booking: ${orderId}`] : []),
    ...(typeof invoiceNumber === "string" ? [`Number: ${invoiceNumber}`] : []),
    ...(environment === "sandbox" ? ["This is a trial: nothing real is bought, and no real money moves."] : []),
  ].join("\n");
}

/** False: the person is not known there. */
async function write(
  { stores, clock }: NoticeParts,
  notice: Notice,
  traits: Traits,
  kind: Exclude<NoticeChannel, "email">,
): Promise<boolean> {
  const { tenantId, environment, userId, id: about } = notice;
  const place = await findPlace(stores, { tenantId, environment, userId, channel: kind });
  if (place === undefined) return false;
  await stores.channelMessages.insert({
    ...{ ...place, tenantId, environment, kind: "notice", about },
    content: { text: say(traits, notice), buttons: [] },
    giveUpAt: clock.now().add(MAIL_LIFETIME),
  });
  return true;
}

/** False: there is no address, or no way to it. */
async function mail(parts: NoticeParts, notice: Notice, traits: Traits): Promise<boolean> {
  const { stores, clock, vault, urls, delivery } = parts;
  const { tenantId, environment, userId, kind, id } = notice;
  if (!(await delivery.canMail(notice))) return false;
  const address = await findAddress(parts, notice);
  if (address === undefined) return false;
  const links = buildUnsubscribeLinks(vault, urls.app, { tenantId, environment, userId, kind });
  const end: readonly MailPart[] = traits.isNecessary
    ? []
    : [words(`You do not want mails of this kind? End them here: ${links.page}`)];
  const letter = composeMail({
    to: { address },
    subject: traits.subject,
    language: "en",
    parts: [words(say(traits, notice)), ...end],
  });
  await stores.messages.insert({
    ...{ tenantId, environment, userId, kind: "notice", about: [id], carrier: "mail" },
    letter: {
      ...letter,
      replyTo: await findReplyAddress(parts, notice),
      unsubscribeUrl: traits.isNecessary ? undefined : links.oneClick,
    },
    expiresAt: clock.now().add(MAIL_LIFETIME),
  });
  return true;
}

/** The address that the person writes from, that of a member, or that of the profile. */
async function findAddress(
  { stores, portsFor }: NoticeParts,
  { tenantId, environment, userId }: Notice,
): Promise<string | undefined> {
  for (const { id, kind } of await stores.channels.listOn({ tenantId, environment })) {
    if (kind !== "email") continue;
    const [person] = await stores.channelPeople.listUsers(id, [userId]);
    if (person !== undefined) return person.externalId;
  }
  const member = await stores.persons.find({ tenantId, environment }, userId);
  return member?.email ?? (await portsFor(environment)?.travelers.get(tenantId, userId, environment))?.email;
}

/** Replies begin or continue a conversation, where people converse by mail. */
async function findReplyAddress({ stores, settings }: NoticeParts, owner: Notice): Promise<string | undefined> {
  const channel = (await stores.channels.listOn(owner)).find(({ kind }) => kind === "email");
  return channel && buildOwnAddress(channel, findDomain(channel, settings.emailDomain));
}
