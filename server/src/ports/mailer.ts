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
