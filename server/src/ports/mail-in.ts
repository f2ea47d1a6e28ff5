import type { Mailer } from "./mailer.ts";

/** Mail that comes in: how it arrives, what is in it, and who sent it. */

/** As `node:dns` resolves: texts of a TXT record in parts, other records as texts. Rejects with a `code` such as `ENOTFOUND`. */
export type ResolveDns = (name: string, type: string) => Promise<string[][] | string[]>;

/** The envelope of a mail: SMTP says it besides the mail itself. */
export interface MailEnvelope {
  /** Empty: a report, which nobody may answer. */
  readonly from: string;
  readonly to: readonly string[];
  /** Where the first server of the operator got it from. Undefined: not known, and SPF says nothing. */
  readonly ip?: string | undefined;
  readonly helo?: string | undefined;
}

export interface MailAttachment {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Shown within the text, such as a logo. */
  readonly isInline: boolean;
}

export interface ParsedMail {
  /** In lower case. Undefined: there is none, or more than one. */
  readonly from: string | undefined;
  /** With its angle brackets. */
  readonly messageId: string | undefined;
  readonly references: readonly string[];
  readonly subject: string;
  readonly sentAt: Temporal.Instant | undefined;
  /** Text and HTML as the sender wrote them. */
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  /** Set: a delivery report about mails of ours. */
  readonly report: MailReport | undefined;
  /** The same for the same mail, on whichever way it came. */
  readonly contentHash: string;
}

export interface MailReport {
  /** Ids of the mails that the report is about, with their angle brackets. */
  readonly messageIds: readonly string[];
  readonly action: string;
  /** As in RFC 3463, such as `5.1.1`. */
  readonly status: string;
}

/** `isProved`: a signature of the From address's own domain covers the whole mail. `again`: the DNS gives no answer now. */
export interface MailProof {
  readonly state: "proved" | "not_proved" | "again";
  /** Results of SPF, DKIM and DMARC, for the record. */
  readonly says: string;
}

/** A mail on its way in. Both must be settled before the other side is told that it was accepted. */
interface MailHandlers {
  /** Whether there is such an address here. */
  knows(recipient: string): Promise<boolean>;
  /** Stores it. `too_large`: it was counted and thrown away. False: nobody here reads such a mail. */
  receive(envelope: MailEnvelope, mail: Uint8Array | "too_large"): Promise<boolean>;
}

export interface MailListener {
  /** Returns the port. */
  listen(handlers: MailHandlers): Promise<number>;
  close(): Promise<void>;
}

export interface MailIn {
  /** Rejects what is no mail. */
  parse(raw: Uint8Array): Promise<ParsedMail>;
  authenticate(raw: Uint8Array, envelope: MailEnvelope, resolve: ResolveDns): Promise<MailProof>;
  /** Undefined: the operator has not asked for one. */
  readonly listener: MailListener | undefined;
}

/** The mail of the simulator: nothing of it leaves the machine. */
export interface SimulatedMail {
  /** Brings mails to the mailboxes of one playground. */
  mailer(playground: { id: string; secret: string }): Mailer;
  /** The DNS of the simulator's domains. */
  readonly resolve: ResolveDns;
}
