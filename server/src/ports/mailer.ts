export interface Mail {
  to: { address: string; name?: string };
  subject: string;
  text: string;
  html: string;
  /** The same mail has the same, so that receivers can tell a repetition. */
  messageId: string;
}

/** Rejects with Failure `mail_not_sent` when the mail server did not take it. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}
