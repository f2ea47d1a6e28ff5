import { readFileSync } from "node:fs";
import { networks, port, text, wholeNumber, withDefault } from "./values.ts";

const DOMAIN = /^(?=.{4,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,61}$/;

/** E-mail as a channel: addresses that people write to, and how their mails arrive. */
export const emailVariables = {
  emailDomain: {
    name: "EMAIL_DOMAIN",
    fallback: undefined,
    meaning:
      "Domain of the addresses that people write to, such as `mail.example.com`. Unset: people write by email only in the simulator.",
    read(value: string | undefined): string | undefined {
      if (value === undefined || DOMAIN.test(value.toLowerCase())) return value?.toLowerCase();
      throw new Error("must be a domain such as mail.example.com");
    },
  },
  emailDkimSelector: text(
    "EMAIL_DKIM_SELECTOR",
    "DKIM selector: the name below `_domainkey` of each sender's domain. Required with EMAIL_DKIM_KEY_FILE.",
  ),
  emailDkimKey: {
    name: "EMAIL_DKIM_KEY_FILE",
    fallback: undefined,
    meaning: "File with the private key (PEM) that signs outgoing mail. Unset: your mail server signs, or nobody does.",
    read(value: string | undefined): string | undefined {
      if (value === undefined) return undefined;
      try {
        return readFileSync(value, "utf8");
      } catch {
        throw new Error("must be a file that can be read");
      }
    },
  },
  emailWebhookSecret: {
    name: "EMAIL_WEBHOOK_SECRET",
    fallback: undefined,
    meaning:
      "Secret with which your mail provider's side signs mails for `/api/webhooks/email/shared`; at least 32 characters. Unset: that address takes none.",
    read(value: string | undefined): string | undefined {
      if (value === undefined || value.length >= 32) return value;
      throw new Error("must have at least 32 characters");
    },
  },
  emailListenerPort: {
    name: "EMAIL_LISTENER_PORT",
    fallback: undefined,
    meaning: "Port on which mail is accepted by SMTP from EMAIL_RELAYS. Unset: no such listener.",
    read: (value: string | undefined): number | undefined => (value === undefined ? undefined : port(value)),
  },
  emailListenerHost: withDefault(
    "EMAIL_LISTENER_HOST",
    "127.0.0.1",
    "Address on which EMAIL_LISTENER_PORT is opened.",
    (value) => value,
  ),
  emailRelays: withDefault(
    "EMAIL_RELAYS",
    "127.0.0.0/8,::1/128",
    "Addresses and networks of the mail servers that may deliver to EMAIL_LISTENER_PORT. Others are refused.",
    networks,
  ),
  emailMaximumMegabytes: withDefault(
    "EMAIL_MAXIMUM_MEGABYTES",
    "20",
    "Size of the largest mail that is accepted, with its attachments as they are encoded.",
    wholeNumber(1, 50),
  ),
};
