import { createSmtpMailer } from "./adapters/smtp/index.ts";
import type { Config } from "./config/config.ts";
import { repeat } from "./kernel/repeat.ts";
import { reconcileEffects } from "./modules/effects/reconcile-effects.ts";
import type { GuestMailPorts } from "./modules/escrow/guest-mail.ts";
import { guestMailUse } from "./modules/escrow/send-guest-mail.ts";
import type { Log } from "./ports/log.ts";
import type { Mailer } from "./ports/mailer.ts";

const SEND_MILLISECONDS = 2_000;

export interface OpenMail {
  /** Undefined: the operator has no mail server, and mails that are still to be sent wait for one. */
  mailer: Mailer | undefined;
  /** Sends what could not be sent at once; returns how to stop. */
  startJob(parts: Omit<GuestMailPorts, "mailer"> & { log: Log }): () => Promise<void>;
  /** Breaks off what is under way. */
  close(): void;
}

export function openMail({ smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">): OpenMail {
  if (smtpUrl === undefined || mailFrom === undefined) {
    return { mailer: undefined, startJob: () => async () => undefined, close: () => undefined };
  }
  const mailer = createSmtpMailer({ server: smtpUrl, from: mailFrom });
  return {
    mailer,
    startJob({ log, ...parts }) {
      const uses = [guestMailUse({ ...parts, mailer })];
      const run = () => reconcileEffects(uses, { workerId: "guest-mail", log });
      return repeat("send-guest-mail", SEND_MILLISECONDS, run, log);
    },
    close: mailer.close,
  };
}
