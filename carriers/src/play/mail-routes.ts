import { z } from "zod";
import { type Answer, json, refuse } from "../http/answer.ts";
import type { MailPlace } from "../mail/mailbox.ts";
import { writeMail } from "../mail/write-mail.ts";
import type { EventSender } from "../send-events.ts";
import type { Playground } from "./playground.ts";

const Written = z.object({ from: z.string(), text: z.string().min(1).max(20_000) });

/** Somebody writes from their mailbox. */
export function answerWriting(sender: EventSender, playground: Playground, body: unknown): Answer {
  const written = Written.safeParse(body).data;
  const { email } = playground;
  return written !== undefined && email !== undefined && writeMail(sender, playground, email, written)
    ? json({ ok: true }, 201)
    : refuse(400, "there is no such mailbox");
}

export const describeMail = ({ setup, mailboxes }: MailPlace) => ({ address: setup.address, mailboxes });
