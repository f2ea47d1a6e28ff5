import { createSmtpMailer, type SmtpMailer } from "../adapters/smtp/index.ts";
import type { Config } from "../config/config.ts";

/** Undefined: no mail server is configured, and unsent mails wait for one. */
export function openMailer({ smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">): SmtpMailer | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  return createSmtpMailer({ server: smtpUrl, from: mailFrom });
}
