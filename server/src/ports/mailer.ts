export interface Mail {
  to: { address: string; name?: string | undefined };
  subject: string;
  text: string;
  html: string;
  /** The same mail has the same, so that receivers can tell a repetition. Letters, digits, dots and hyphens; the adapter adds the domain. */
  messageId: string;
}

/**
 * Rejects with Failure `mail_not_sent` when the mail server did not take it or was not reached, and `mail_refused` when it never
 * will. A mail that was not said to be taken may have been taken all the same.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface OpenedMailer extends Mailer {
  /** Breaks off what is under way: it was not said to be taken. */
  close(): void;
}
