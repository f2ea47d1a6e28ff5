/** A message as its recipient gets it. Carriers without rich text send the plain one. */
export interface Letter {
  /** The address in the carrier's format. */
  to: { address: string; name?: string | undefined };
  subject: string;
  text: string;
  html: string;
  /** Where replies go, if not to the sender. */
  replyTo?: string | undefined;
  /** Where the recipient ends mails of this kind with one request (RFC 8058). */
  unsubscribeUrl?: string | undefined;
  /** Carriers that take none send the words alone. */
  attachments?: readonly { fileName: string; contentType: string; content: Uint8Array }[];
}

/** A channel that delivers messages to people. */
export interface Carrier {
  /**
   * Sends the letter. Each attempt for the same message has the same key, so that a carrier or receiver with idempotency keys
   * can discard a repetition. Keys consist of letters, digits, dots and hyphens.
   * Rejects with Failure `mail_refused` when the letter will never be accepted, and with another Failure, such as
   * `mail_not_sent`, when a retry may succeed.
   */
  send(letter: Letter, key: string): Promise<void>;
  /** Ends its connections. Unfinished attempts are rejected, as their letters may not have been accepted. */
  close(): void;
}
