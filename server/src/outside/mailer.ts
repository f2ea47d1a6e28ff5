import { createSmtpMailer } from "../adapters/smtp/index.ts";
import type { Config } from "../config/config.ts";
import type { Mailer } from "../ports/mailer.ts";

/** Undefined: no mail server is configured, and unsent mails wait for one. */
export function openMailer({ smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">): Mailer | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  return createSmtpMailer({ server: smtpUrl, from: mailFrom });
}
