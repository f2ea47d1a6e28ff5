/** A message as its recipient gets it. A carrier that has no rich text sends the plain one. */
export interface Letter {
  /** The address in the carrier's own terms. */
  to: { address: string; name?: string | undefined };
  subject: string;
  text: string;
  html: string;
}

/** A way to reach people. */
export interface Carrier {
  /**
   * Sends the letter. The same message has the same key each time that it is sent, so that a carrier or a receiver that knows such keys
   * can tell a repetition. Letters, digits, dots and hyphens.
   *
   * Rejects with Failure `mail_refused` when the letter will never be taken, and with another Failure, such as `mail_not_sent`, when it
   * makes sense to try again.
   */
  send(letter: Letter, key: string): Promise<void>;
}
