interface MailAttachment {
  fileName: string;
  contentType: string;
  content: Uint8Array;
}

export interface Mail {
  to: { address: string; name?: string | undefined };
  subject: string;
  text: string;
  html: string;
  attachments?: readonly MailAttachment[];
  /**
   * The same for each attempt at the same mail, so that receivers can recognise a repetition. Letters, digits, dots and
   * hyphens; the adapter adds the domain.
   */
  messageId: string;
  /** Left out: the operator's usual sender. */
  from?: { address: string; name?: string | undefined } | undefined;
  replyTo?: string | undefined;
  /** The mails before this one, the answered one last, with their angle brackets. */
  references?: readonly string[] | undefined;
  /** Whether nobody asked for it, or it answers a mail (RFC 3834). Left out: nobody asked. */
  autoSubmitted?: "auto-generated" | "auto-replied" | undefined;
  /** Where the recipient ends mails of this kind with one click (RFC 8058). */
  unsubscribeUrl?: string | undefined;
}

/**
 * Rejects with Failure `mail_not_sent` if the mail server did not accept the mail or was not reached, and `mail_refused` if it
 * never will. A rejected mail may have been accepted all the same.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Aborts pending mails; the server has not confirmed them. */
  close(): void;
}
