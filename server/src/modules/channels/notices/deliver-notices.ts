import { z } from "zod";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { composeMail, type MailPart, words as paragraph } from "../../outbox/index.ts";
import type { Parts } from "../context.ts";
import { buildOwnAddress, findDomain } from "../email/addresses.ts";
import { findPlace } from "./channel-notices.ts";
import { type CheckIn, findCheckIn } from "./check-in.ts";
import { type ComposedNotice, type ComposingParts, composeNotice } from "./compose-notice.ts";
import { CHECK_IN, type NoticeChannel, readNoticeKind } from "./notice-kinds.ts";
import type { Notice, NoticePreference } from "./notices.ts";
import { findEndOfQuiet } from "./quiet-hours.ts";
import { noticeTexts } from "./texts.ts";
import { buildUnsubscribeLinks } from "./unsubscribe-links.ts";

export type NoticeParts = ComposingParts &
  Pick<CommonParts, "log" | "maps"> &
  Pick<Parts, "stores" | "settings" | "delivery">;

const LEASE = { seconds: 60 };
const MOST_AT_ONCE = 50;
/** Nobody needs it afterwards. */
const OLDEST = { hours: 72 };
const LIFETIME = { hours: 24 };
const AGAIN = { minutes: 5 };

type Traits = NonNullable<ReturnType<typeof readNoticeKind>>;

/** Some end at a time, and some are mailed as another module composes it. */
const Data = z.looseObject({
  waitsUntil: z.string().optional(),
  mail: z.object({ kind: z.string(), recordId: z.string() }).optional(),
});

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
  const { stores } = parts;
  const skip = (reason: string) => stores.notices.end(notice.id, { state: "skipped", reason });
  const traits = readNoticeKind(notice.kind);
  const preference = await stores.noticePreferences.find(notice, notice.userId);
  if (traits === undefined || preference === undefined) return await skip("nobody wants it any more");
  const checkIn = notice.kind === CHECK_IN ? await findCheckIn(parts, notice) : undefined;
  const over = whyOver(parts, notice, traits, { preference, checkIn });
  if (over !== undefined) return await skip(over);
  const waitUntil = findWait(parts, notice, traits, { preference, checkIn });
  if (waitUntil !== undefined) return await stores.notices.wait(notice.id, waitUntil);
  const composed = await composeNotice(parts, notice, traits, { checkIn, timeZone: preference.timeZone });
  // Each flight of a booking is told once.
  const about = checkIn === undefined ? notice.id : `${notice.id}:${checkIn.leg}`;
  for (const channel of preference.channels) {
    const telling = { ...composed, about };
    const isReached =
      channel === "email" ? await mail(parts, notice, traits, telling) : await write(parts, notice, telling, channel);
    if (!isReached) continue;
    if (checkIn !== undefined) return await stores.notices.goOn(notice.id, { leg: checkIn.leg + 1 });
    return await stores.notices.end(notice.id, { state: "sent", channel });
  }
  await skip("none of the person's channels reaches them");
}

interface Timing {
  readonly preference: NoticePreference;
  readonly checkIn: CheckIn | undefined;
}

/** Why nobody needs it any more. */
function whyOver(
  { clock }: NoticeParts,
  { kind, data, createdAt }: Notice,
  { isNecessary }: Traits,
  { preference, checkIn }: Timing,
): string | undefined {
  const now = clock.now();
  const { waitsUntil } = Data.parse(data);
  if (!isNecessary && preference.muted.includes(kind)) return "the person does not want this kind";
  if (kind === CHECK_IN) return checkIn === undefined ? "no flight is to come" : undefined;
  if (waitsUntil !== undefined && Temporal.Instant.compare(Temporal.Instant.from(waitsUntil), now) <= 0)
    return "the run waits no longer";
  return Temporal.Instant.compare(createdAt.add(OLDEST), now) < 0 ? "it is too old" : undefined;
}

/** Undefined: it is to be told now. A run that would end in the quiet time is told before. */
function findWait(
  { clock }: NoticeParts,
  { data }: Notice,
  { isUrgent }: Traits,
  { preference, checkIn }: Timing,
): Temporal.Instant | undefined {
  const now = clock.now();
  if (checkIn !== undefined && Temporal.Instant.compare(checkIn.opensAt, now) > 0) return checkIn.opensAt;
  const quietUntil = isUrgent ? undefined : findEndOfQuiet(now, preference);
  const { waitsUntil } = Data.parse(data);
  const end = waitsUntil === undefined ? checkIn?.departsAt : Temporal.Instant.from(waitsUntil);
  if (quietUntil === undefined || (end !== undefined && Temporal.Instant.compare(end, quietUntil) <= 0))
    return undefined;
  return quietUntil;
}

type Telling = ComposedNotice & { readonly about: string };

/** False: the person is not known there. */
async function write(
  { stores, clock }: NoticeParts,
  { tenantId, environment, userId }: Notice,
  { text, link, document, about }: Telling,
  channel: Exclude<NoticeChannel, "email">,
): Promise<boolean> {
  const place = await findPlace(stores, { tenantId, environment, userId, channel });
  if (place === undefined) return false;
  await stores.channelMessages.insert({
    ...{ ...place, tenantId, environment, kind: "notice", about },
    content: { text, buttons: [], link, document },
    giveUpAt: clock.now().add(LIFETIME),
  });
  return true;
}

/** False: there is no address, or no way to it. */
async function mail(
  parts: NoticeParts,
  notice: Notice,
  { isNecessary }: Traits,
  { words, subject, text, document, about }: Telling,
): Promise<boolean> {
  const { stores, clock, vault, urls, delivery } = parts;
  const { tenantId, environment, userId, kind, data } = notice;
  if (!(await delivery.canMail(notice))) return false;
  const expiresAt = clock.now().add(LIFETIME);
  const { mail: record } = Data.parse(data);
  if (record !== undefined) {
    const reason = { tenantId, environment, userId, kind: record.kind, about: [record.recordId] };
    await stores.messages.insert({ ...reason, recordId: record.recordId, carrier: "mail", expiresAt });
    return true;
  }
  const address = await findAddress(parts, notice);
  if (address === undefined) return false;
  const say = noticeTexts(words);
  const links = buildUnsubscribeLinks(vault, urls.app, { tenantId, environment, userId, kind });
  const file: readonly MailPart[] =
    document === undefined ? [] : [{ kind: "link", text: document.url, label: say("openDocument") }];
  const end = isNecessary ? [] : [paragraph(say("unsubscribe", { link: links.page }))];
  const parted = [paragraph(text), ...file, ...end];
  const letter = composeMail({ to: { address }, subject, language: words.language, parts: parted });
  await stores.messages.insert({
    ...{ tenantId, environment, userId, kind: "notice", about: [about], carrier: "mail" },
    letter: {
      ...letter,
      replyTo: await findReplyAddress(parts, notice),
      unsubscribeUrl: isNecessary ? undefined : links.oneClick,
    },
    expiresAt,
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
