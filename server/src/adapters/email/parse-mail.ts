import { createHash } from "node:crypto";
import PostalMime, { type Attachment, type Email } from "postal-mime";
import type { MailAttachment, MailReport, ParsedMail } from "../../ports/mail-in.ts";

const MOST_ATTACHMENTS = 20;
const MOST_REFERENCES = 30;
const LONGEST_ID = 250;
const MESSAGE_ID = /<[^<>\s]{3,250}>/g;

export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const email = await PostalMime.parse(raw, {
    // The parts of a report are looked at one by one.
    forceRfc822Attachments: true,
    maxNestingDepth: 30,
    maxHeadersSize: 256 * 1024,
  });
  const headers = new Map(email.headers.toReversed().map(({ key, value }) => [key, value]));
  const { text, html, subject = "", date } = email;
  const report = readReport(email);
  return {
    from: readFrom(email),
    messageId: listIds(email.messageId)[0],
    references: [...new Set(listIds(`${email.references ?? ""} ${email.inReplyTo ?? ""}`))].slice(-MOST_REFERENCES),
    subject,
    sentAt: readDate(date),
    text,
    html,
    attachments: report === undefined ? email.attachments.slice(0, MOST_ATTACHMENTS).map(toAttachment) : [],
    header: (name) => headers.get(name),
    report,
    contentHash: hashContent(email, raw),
  };
}

/** The two headers that a signature must cover, and the body: servers on the way add others. */
function hashContent({ headers }: Email, raw: Uint8Array): string {
  const hash = createHash("sha256");
  for (const { key, value } of headers) if (key === "from" || key === "date") hash.update(`${key}:${value.trim()}\n`);
  return hash.update(raw.subarray(findBody(raw))).digest("base64url");
}

function findBody(raw: Uint8Array): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ends = ["\r\n\r\n", "\n\n"].map((end) => bytes.indexOf(end)).filter((at) => at !== -1);
  return ends.length === 0 ? 0 : Math.min(...ends);
}

/** Several senders, or an address in a group, are nobody whom we could answer. */
function readFrom({ from, headers }: Email): string | undefined {
  if (headers.filter(({ key }) => key === "from").length !== 1) return undefined;
  const address = from?.address?.toLowerCase();
  return address !== undefined && /^[^\s<>@,;:]{1,64}@[^\s<>@,;:]{3,190}$/.test(address) ? address : undefined;
}

const listIds = (text: string | undefined): readonly string[] =>
  (text ?? "").match(MESSAGE_ID)?.filter((id) => id.length <= LONGEST_ID) ?? [];

function readDate(date: string | undefined): Temporal.Instant | undefined {
  try {
    return date === undefined ? undefined : Temporal.Instant.from(date);
  } catch {
    return undefined;
  }
}

function toAttachment(attachment: Attachment): MailAttachment {
  const { mimeType, disposition, related } = attachment;
  return {
    contentType: mimeType,
    bytes: readBytes(attachment),
    isInline: disposition === "inline" || related === true,
  };
}

function readBytes({ content, encoding }: Attachment): Uint8Array {
  if (typeof content !== "string") return new Uint8Array(content);
  return Buffer.from(content, encoding === "base64" ? "base64" : "utf8");
}

/** RFC 3464. Undefined: it is none. */
function readReport({ headers, attachments }: Email): MailReport | undefined {
  const type = headers.find(({ key }) => key === "content-type")?.value.toLowerCase() ?? "";
  const status = attachments.find(({ mimeType }) => mimeType === "message/delivery-status");
  if (!type.startsWith("multipart/report") && status === undefined) return undefined;
  const fields = status === undefined ? "" : Buffer.from(readBytes(status)).toString("utf8");
  const original = attachments
    .filter(({ mimeType }) => mimeType === "message/rfc822" || mimeType === "text/rfc822-headers")
    .map((part) => /^message-id:\s*(<[^<>\s]+>)/im.exec(Buffer.from(readBytes(part)).toString("utf8"))?.[1]);
  return {
    messageIds: original.filter((id) => id !== undefined),
    action: /^action:\s*([\w-]+)/im.exec(fields)?.[1]?.toLowerCase() ?? "",
    status: /^status:\s*([245]\.\d{1,3}\.\d{1,3})/im.exec(fields)?.[1] ?? "",
  };
}
