import { Resolver } from "node:dns/promises";
import { createMailIn } from "../adapters/email/index.ts";
import { createSmtpMailer } from "../adapters/smtp/index.ts";
import { type Config, ConfigError } from "../config/config.ts";
import type { Log } from "../ports/log.ts";
import type { MailIn, ResolveDns } from "../ports/mail-in.ts";
import type { Mailer } from "../ports/mailer.ts";

const BYTES_PER_MEGABYTE = 1_048_576;

/** Undefined: no mail server is configured, and unsent mails wait for one. */
export function openMailer(
  config: Pick<Config, "smtpUrl" | "mailFrom" | "emailDkimSelector" | "emailDkimKey">,
): Mailer | undefined {
  const { smtpUrl, mailFrom, emailDkimSelector: selector, emailDkimKey: privateKey } = config;
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  const dkim = selector === undefined || privateKey === undefined ? undefined : { selector, privateKey };
  return createSmtpMailer({ server: smtpUrl, from: mailFrom, dkim });
}

export function openMailIn(config: Config, log: Log): MailIn {
  const { emailListenerHost: host, emailRelays: relays, emailMaximumMegabytes } = config;
  // Where the hosts are separate processes, one of them listens.
  const port = config.serve === "edge" ? undefined : config.emailListenerPort;
  const maximumBytes = emailMaximumMegabytes * BYTES_PER_MEGABYTE;
  const mailIn = createMailIn({ port, host, relays, maximumBytes, log });
  const { listener } = mailIn;
  if (listener === undefined || port === undefined) return mailIn;
  return { ...mailIn, listener: { ...listener, listen: (handlers) => explain(listener.listen(handlers), host, port) } };
}

/** The operator can choose another port, and nothing else helps. */
async function explain(listening: Promise<number>, host: string, port: number): Promise<number> {
  try {
    return await listening;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const why = code === "EADDRINUSE" ? "it is already in use" : code;
    throw new ConfigError(
      `Not started: the mail listener cannot listen on port ${port} of ${host} (${why}). Stop what is using it, or set EMAIL_LISTENER_PORT and EMAIL_LISTENER_HOST.`,
    );
  }
}

const DNS_MILLISECONDS = 5_000;
const DNS_TRIES = 2;

/** For DKIM and DMARC. SPF is told only for the record, so that a domain's mail servers are not looked up for it. */
export const resolveMailDns: ResolveDns = async (name, type) => {
  const resolver = new Resolver({ timeout: DNS_MILLISECONDS, tries: DNS_TRIES });
  switch (type) {
    case "TXT":
      return await resolver.resolveTxt(name);
    case "A":
      return await resolver.resolve4(name);
    case "AAAA":
      return await resolver.resolve6(name);
    default:
      throw Object.assign(new Error(`${type} records are not looked up`), { code: "ENODATA" });
  }
};
