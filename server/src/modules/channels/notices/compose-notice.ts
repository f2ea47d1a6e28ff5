import { z } from "zod";
import { type Words, wordsIn } from "../../../domain/texts.ts";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { buildApprovalLink } from "../../approvals/index.ts";
import type { Content, DocumentPlace } from "../channels.ts";
import type { Parts } from "../context.ts";
import type { CheckIn } from "./check-in.ts";
import type { readNoticeKind } from "./notice-kinds.ts";
import type { Notice } from "./notices.ts";
import { noticeTexts } from "./texts.ts";

export type ComposingParts = Pick<CommonParts, "clock" | "vault" | "urls" | "noticeDocuments"> &
  Pick<Parts, "portsFor">;

type Traits = NonNullable<ReturnType<typeof readNoticeKind>>;

/** The same for every channel. */
export interface ComposedNotice extends Pick<Content, "text" | "link"> {
  readonly words: Words;
  readonly subject: string;
  readonly document: DocumentPlace | undefined;
}

const FILE_LIFETIME = { hours: 30 * 24 };
/** Then it comes without its document. */
const MOST_ATTEMPTS = 3;

const Told = z.looseObject({ orderId: z.string().optional(), invoiceNumber: z.string().optional() });
const Waiting = z.looseObject({
  runId: z.string(),
  workflowId: z.string(),
  waitsUntil: z.string(),
  approvalId: z.string().optional(),
});

/** In the language of the person's profile. */
export async function composeNotice(
  parts: ComposingParts,
  notice: Notice,
  traits: Traits,
  { checkIn, timeZone }: { checkIn: CheckIn | undefined; timeZone: string },
): Promise<ComposedNotice> {
  const { tenantId, environment, userId } = notice;
  const profile = await parts.portsFor(environment)?.travelers.get(tenantId, userId, environment);
  const words = wordsIn(profile?.preferredLanguage ?? "en");
  const say = noticeTexts(words);
  const { orderId, invoiceNumber } = Told.parse(notice.data);
  const { text, link } = sayNews(parts, notice, traits, { words, checkIn, timeZone });
  return {
    words,
    subject: say(`${traits.text}Subject`),
    text: [
      text,
      ...(orderId === undefined ? [] : [say("booking", { id: orderId })]),
      ...(invoiceNumber === undefined ? [] : [say("number", { number: invoiceNumber })]),
      ...(environment === "sandbox" ? [say("trial")] : []),
    ].join("\n"),
    link,
    document: await shareDocument(parts, notice, words),
  };
}

function sayNews(
  { vault, urls }: ComposingParts,
  { userId, data }: Notice,
  traits: Traits,
  { words, checkIn, timeZone }: { words: Words; checkIn: CheckIn | undefined; timeZone: string },
): Pick<Content, "text" | "link"> {
  const say = noticeTexts(words);
  if (traits.text === "checkIn") {
    if (checkIn === undefined) throw new Error("a notice of check-in without a flight");
    const { flight, airport, departsAt } = checkIn;
    return { text: say("checkIn", { flight, airport, departs: words.moment(departsAt, checkIn.timeZone) }) };
  }
  if (traits.text !== "waiting") return { text: say(traits.text) };
  const { runId, workflowId, waitsUntil, approvalId } = Waiting.parse(data);
  const until = words.moment(Temporal.Instant.from(waitsUntil), timeZone);
  const text = say("waiting", { run: runId, workflow: workflowId, until });
  if (approvalId === undefined) return { text };
  const link = buildApprovalLink(vault, new URL(urls.app).origin, { approvalId, personId: userId });
  return { text: `${text}\n${say("decide", { link })}`, link };
}

/** The address under which the document is kept until it is sent, and for whoever opens it later. */
async function shareDocument(
  { noticeDocuments, portsFor, clock }: ComposingParts,
  { tenantId, environment, userId, kind, data, attempts }: Notice,
  words: Words,
): Promise<DocumentPlace | undefined> {
  const maker = noticeDocuments.find(({ types }) => types.includes(kind));
  const shelf = portsFor(environment)?.fileShelf;
  if (maker === undefined || shelf === undefined) return undefined;
  const made = await maker.make({ tenantId, environment, userId, data }, words).catch((error: unknown) => {
    if (attempts < MOST_ATTEMPTS) throw error;
    return undefined;
  });
  if (made === undefined) return undefined;
  const [url] = await shelf.share(tenantId, [made], clock.now().add(FILE_LIFETIME));
  return url === undefined ? undefined : { fileName: made.fileName, contentType: made.contentType, url };
}
