import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { deliverGuestMail, GUEST_MAIL_LEASE, type GuestMailPorts } from "./guest-mail.ts";
import type { TakenMail } from "./guest-mails.ts";

const BATCH = 5;

/** Mails to guests that a crash or a mail server left unsent. How many it has worked on. */
export async function sendGuestMails(ports: GuestMailPorts & { mailer: Mailer; log: Log }): Promise<number> {
  const { stores, clock } = ports;
  let count = 0;
  for (;;) {
    const taken = await stores.guestMails.take(BATCH, clock.now().add(GUEST_MAIL_LEASE));
    // All to their ends: what the database refuses of one is no reason to leave the others.
    const ends = await Promise.allSettled(taken.map((mail) => send(ports, mail)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    count += taken.length;
    if (taken.length < BATCH) return count;
  }
}

async function send(ports: GuestMailPorts & { mailer: Mailer; log: Log }, mail: TakenMail): Promise<void> {
  const { log } = ports;
  const outcome = await deliverGuestMail(ports, mail);
  const { tripId, attempts } = mail;
  if (outcome.kind === "sent") log.info({ tripId, attempts }, "a guest has been written to");
  else if (outcome.kind === "put_back") {
    log.warn({ tripId, attempts, err: outcome.cause }, "a mail to a guest is tried again");
  } else log.error({ tripId, attempts, err: outcome.cause }, "a mail to a guest is given up");
}
