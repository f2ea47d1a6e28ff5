import { createSmtpMailer, type SmtpMailer } from "../adapters/smtp/index.ts";
import type { Config } from "../config/config.ts";

/** Undefined: the operator has no mail server, and mails that are still to be sent wait for one. */
export function openMailer({ smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">): SmtpMailer | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  return createSmtpMailer({ server: smtpUrl, from: mailFrom });
}
