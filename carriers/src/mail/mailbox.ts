import { z } from "zod";

export const EmailSetup = z.strictObject({
  /** Where people write to the product. */
  address: z.string().regex(/^[^@\s]+@[^@\s]+$/),
  /** Takes the mails that people write. */
  url: z.url(),
  /** Signs them. */
  secret: z.string().min(20),
});
type EmailSetup = z.output<typeof EmailSetup>;

interface ShownMail {
  readonly id: string;
  /** False: the person of the mailbox wrote it. */
  readonly isReceived: boolean;
  readonly from: string;
  readonly to: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

interface Mailbox {
  readonly address: string;
  readonly mails: ShownMail[];
}

export interface MailPlace {
  setup: EmailSetup;
  readonly mailboxes: Mailbox[];
}

/** Somebody is there before the first mail comes. */
const FIRST_ADDRESS = "tess@people.test";
const MOST_MAILBOXES = 50;
const MOST_MAILS = 500;

export function createMailPlace(setup: EmailSetup): MailPlace {
  return { setup, mailboxes: [{ address: FIRST_ADDRESS, mails: [] }] };
}

/** Undefined: there is no room for one more. */
function openMailbox({ mailboxes }: MailPlace, address: string): Mailbox | undefined {
  const found = mailboxes.find((one) => one.address === address);
  if (found !== undefined || mailboxes.length >= MOST_MAILBOXES) return found;
  const made = { address, mails: [] };
  mailboxes.push(made);
  return made;
}

/** The same mail is shown once, as a mail program shows it. */
export function addMail(place: MailPlace, address: string, mail: ShownMail): void {
  const mailbox = openMailbox(place, address.toLowerCase());
  if (mailbox === undefined || mailbox.mails.some(({ messageId }) => messageId === mail.messageId)) return;
  mailbox.mails.push(mail);
  if (mailbox.mails.length > MOST_MAILS) mailbox.mails.shift();
}
