import { expect } from "vitest";
import { z } from "zod";
import type { ApprovalDesk } from "./approval-desk.ts";
import { until } from "./embedded-fixture.ts";
import type { TestService } from "./service.ts";

const Mail = z.object({
  isReceived: z.boolean(),
  from: z.string(),
  replyTo: z.string(),
  subject: z.string(),
  text: z.string(),
  messageId: z.string(),
  references: z.array(z.string()),
  headers: z.record(z.string(), z.string()),
});
const State = z.object({
  email: z.object({ mailboxes: z.array(z.object({ address: z.string(), mails: z.array(Mail) })) }),
});

/** Somebody whose mailbox is in the simulator from the beginning. */
export const TESS = "tess@people.test";

/** A tenant's simulated mailboxes, as their page plays them. */
export async function playMail(service: TestService, desk: ApprovalDesk) {
  const added = await desk.ask("/api/channels", { kind: "email" }, service.operatorKey);
  expect(added.status, added.text).toBe(200);
  const channelId = String(added.body.id);
  const { playUrl, address } = z.object({ playUrl: z.string(), address: z.string() }).parse(added.body.setUp);
  const { origin, searchParams } = new URL(playUrl);
  const base = `${origin}/_carriers/play/${searchParams.get("play")}`;

  async function list(mailbox: string) {
    const { email } = State.parse(await (await fetch(`${base}/state`)).json());
    return email.mailboxes.find((one) => one.address === mailbox)?.mails ?? [];
  }

  /** Waits for a mail with the text. */
  const see = (mailbox: string, text: string) =>
    until(async () => (await list(mailbox)).findLast((mail) => mail.isReceived && mail.text.includes(text)));

  async function write(from: string, text: string): Promise<void> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ from, text });
    expect((await fetch(`${base}/mail/mails`, { method: "POST", headers, body })).status).toBe(201);
  }

  return {
    ...{ channelId, playUrl, address, list, see, write },
    /** Proves by mail who somebody is. */
    async link(from: string, key: string, userId: string) {
      const path = `/api/channels/${channelId}/link-codes?userId=${userId}`;
      const issued = await desk.ask(path, undefined, key, "POST");
      expect(issued.status, issued.text).toBe(200);
      await write(from, String(issued.body.code));
      await see(from, "You are linked");
    },
  };
}

export type MailPlay = Awaited<ReturnType<typeof playMail>>;
