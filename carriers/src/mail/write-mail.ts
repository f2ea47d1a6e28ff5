import { createHmac, randomBytes } from "node:crypto";
import type { Playground } from "../play/playground.ts";
import type { EventSender } from "../send-events.ts";
import { addMail, type MailPlace } from "./mailbox.ts";
import { signMail } from "./sign-mail.ts";

const LINE_CHARACTERS = 76;

/** Somebody writes to the product, or answers its last mail. False: there is no such mailbox. */
export function writeMail(
  sender: EventSender,
  playground: Playground,
  place: MailPlace,
  { from, text }: { from: string; text: string },
): boolean {
  const mailbox = place.mailboxes.find(({ address }) => address === from);
  if (mailbox === undefined) return false;
  const answered = mailbox.mails.findLast(({ isReceived }) => isReceived);
  const to = answered?.replyTo ?? place.setup.address;
  const subject = answered === undefined ? "My trip" : `Re: ${answered.subject.replace(/^(?:re:\s*)+/i, "")}`;
  const references = answered === undefined ? [] : [...answered.references, answered.messageId];
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const messageId = `<${randomBytes(12).toString("hex")}@${domain}>`;
  const quoted =
    answered === undefined ? "" : `\r\n\r\nOn Friday, Wayfare wrote:\r\n${answered.text.replaceAll(/^/gm, "> ")}`;
  const raw = signMail(
    [
      ["From", from],
      ["To", to],
      ["Subject", encodeSubject(subject)],
      ["Date", new Date().toUTCString().replace("GMT", "+0000")],
      ["Message-ID", messageId],
      ...(answered === undefined
        ? []
        : ([
            ["In-Reply-To", answered.messageId],
            ["References", references.join(" ")],
          ] as const)),
      ["MIME-Version", "1.0"],
      ["Content-Type", "text/plain; charset=utf-8"],
      ["Content-Transfer-Encoding", "base64"],
    ],
    encodeBody(`${text}${quoted}`),
    domain,
  );
  const mail = {
    id: messageId,
    isReceived: false,
    from,
    to,
    replyTo: from,
    subject,
    text,
    messageId,
    references,
    headers: {},
  };
  addMail(place, from, mail);
  playground.changed();
  post(sender, playground, place, { from, to: [to], raw: Buffer.from(raw).toString("base64") });
  return true;
}

function post(sender: EventSender, { id }: Playground, { setup }: MailPlace, mail: object): void {
  const body = JSON.stringify(mail);
  sender.send({
    carrier: "email",
    playground: id,
    url: setup.url,
    body,
    headers: () => {
      const seconds = Math.floor(Date.now() / 1_000);
      const mac = createHmac("sha256", setup.secret).update(`${seconds}.${body}`).digest("hex");
      return { "content-type": "application/json", "x-wayfare-email-signature": `t=${seconds},v1=${mac}` };
    },
  });
}

function encodeBody(text: string): string {
  const encoded = Buffer.from(text).toString("base64");
  return `${encoded.match(new RegExp(`.{1,${LINE_CHARACTERS}}`, "g"))?.join("\r\n") ?? ""}\r\n`;
}

function encodeSubject(subject: string): string {
  return /^[\x20-\x7e]*$/.test(subject) ? subject : `=?utf-8?B?${Buffer.from(subject).toString("base64")}?=`;
}
