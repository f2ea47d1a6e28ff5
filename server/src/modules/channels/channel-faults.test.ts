import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CHAT_KINDS, type ChatKind, type Chats, openChats } from "../../../test/support/chat-plays.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";

/** Faults and bad input that every chat system meets, each on the wire of its simulator. */

let service: Chats["service"];
let desk: Chats["desk"];
let plays: Chats["plays"];
let approver: Chats["approver"];
beforeAll(async () => {
  ({ service, desk, plays, approver } = await openChats());
  for (const kind of CHAT_KINDS)
    await plays[kind].link("traveler", service.apiKey, `link-codes?userId=${DEMO_TRAVELER_ID}`);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const turns = (text: string) =>
  service.sql("select id from conversation_turn where tenant_id = $1 and text = $2", [service.tenantId, text]);
const stored = (kind: ChatKind, id: string) =>
  service.sql("select outcome from channel_event where id = $1", [`${plays[kind].channelId}:${id}`]);
const isHandled = (kind: ChatKind, id: string) =>
  expect.poll(() => stored(kind, id)).toEqual([{ outcome: expect.any(String) }]);
const messages = (kind: ChatKind, columns: string, where = "true") =>
  service.sql(`select ${columns} from channel_message where channel_id = $1 and ${where} order by position`, [
    plays[kind].channelId,
  ]);
const isQuiet = (kind: ChatKind) =>
  expect.poll(() => messages(kind, "id", "next_at is not null"), { timeout: 20_000 }).toEqual([]);
const rename = (name: string) =>
  service.sql("update person set name = $1 where tenant_id = $2 and id = $3", [name, service.tenantId, approver.id]);
/** Waiting messages are due now. */
async function makeDue(kind: ChatKind): Promise<void> {
  const { channelId } = plays[kind];
  await service.sql("update channel_message set next_at = now() where channel_id = $1 and next_at is not null", [
    channelId,
  ]);
  await service.sql("select pg_notify('work_changed', 'channel_message 0')");
}

describe.each(CHAT_KINDS)("a message in by %s", (kind) => {
  it("that comes twice within a millisecond, and again minutes later, is one turn", async () => {
    const body = await plays[kind].compose(`twice-${kind}`, `Twice by ${kind}`);
    const late = { headers: { "x-slack-retry-num": "3", "x-slack-retry-reason": "http_timeout" } };
    const send = (how = {}) => plays[kind].deliver(body, how);
    const answers = await Promise.all([send(), send(), send(late)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await isHandled(kind, `twice-${kind}`);
    expect((await send(late)).status).toBe(200);
    expect(await turns(`Twice by ${kind}`)).toHaveLength(1);
    // Control: another message with the same text is another turn. A retry counts if it is the first to arrive.
    const other = await plays[kind].compose(`other-${kind}`, `Twice by ${kind}`);
    expect((await plays[kind].deliver(other, late)).status).toBe(200);
    await isHandled(kind, `other-${kind}`);
    expect(await turns(`Twice by ${kind}`)).toHaveLength(2);
  });

  it("that is not signed, altered, or signed by another app is refused", async () => {
    const body = await plays[kind].compose(`forged-${kind}`, "Forged");
    const unsigned = { "x-slack-signature": "", "x-hub-signature-256": "" };
    const refused = await Promise.all([
      plays[kind].deliver(body, { headers: unsigned }),
      plays[kind].deliver(body, { altered: body.replace("Forged", "Altered") }),
      plays[kind].deliver(body, { secret: "another app's secret" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await stored(kind, `forged-${kind}`)).toEqual([]);
    // Control: the same with its own signature.
    expect((await plays[kind].deliver(body)).status).toBe(200);
    await isHandled(kind, `forged-${kind}`);
  });
});

const FAULTS = ["rate_limited", "away", "lost_answer", "reset"] as const;

describe.each(CHAT_KINDS)("a message out by %s", (kind) => {
  /** Texts that the traveler receives from now on. */
  async function startAnew() {
    const before = (await plays[kind].listReceived("traveler")).length;
    await plays[kind].say("traveler", "new");
    return async () => (await plays[kind].listReceived("traveler")).slice(before).map(({ text }) => text);
  }
  const countNotices = async () => (await messages(kind, "id", "kind = 'notice'")).length;
  const readLast = async (columns: string) => (await messages(kind, columns, "kind = 'notice'")).at(-1);
  const RECEIVED = [expect.stringContaining("new conversation")];

  it.each(FAULTS)("arrives once through %s", async (fault) => {
    await isQuiet(kind);
    await plays[kind].arm(fault);
    const listNew = await startAnew();
    if (fault === "away") {
      // Where nobody can be asked whether it arrived, the product waits for a report. It need not here.
      await expect.poll(() => messages(kind, "attempts", "next_at is not null")).toEqual([{ attempts: 1 }]);
      await makeDue(kind);
    }
    await expect.poll(listNew).toEqual(RECEIVED);
    await isQuiet(kind);
    expect(await listNew()).toEqual(RECEIVED);
  });

  it("waits after 429 without Retry-After, as do the others of the channel, and arrives once", async () => {
    await isQuiet(kind);
    await plays[kind].arm("rate_limited_bare");
    const listNew = await startAnew();
    const waiting = () =>
      messages(kind, "address, attempts, extract(epoch from next_at - now()) > 10 as waits", "next_at is not null");
    await expect.poll(waiting).toEqual([{ address: expect.any(String), attempts: 1, waits: true }]);
    expect(await listNew()).toEqual([]);
    // The limit is the installation's: the other chat system sends meanwhile.
    const other = kind === "slack" ? "whatsapp" : "slack";
    await plays[other].say("traveler", "new");
    await plays[other].see("traveler", "new conversation");
    expect(await listNew()).toEqual([]);
    await makeDue(kind);
    await expect.poll(listNew).toEqual(RECEIVED);
    await isQuiet(kind);
    expect(await listNew()).toEqual(RECEIVED);
  });

  it("that is accepted and never delivered is never called delivered, nor sent again", async () => {
    await isQuiet(kind);
    await plays[kind].arm("never_delivered");
    const before = await countNotices();
    const listNew = await startAnew();
    await expect.poll(countNotices).toBe(before + 1);
    await isQuiet(kind);
    expect(await readLast("state, attempts")).toEqual({ state: "sent", attempts: 1 });
    expect(await listNew()).toEqual([]);
    // Control: the next one is there, and WhatsApp says so.
    const listNext = await startAnew();
    await expect.poll(listNext).toEqual(RECEIVED);
    const isTold = kind === "whatsapp" ? "delivered" : "sent";
    await expect.poll(() => readLast("state")).toEqual({ state: isTold });
  });

  it("shows nothing of what others wrote as formatting, hidden text or a formula", async () => {
    await isQuiet(kind);
    const name = '=HYPERLINK("http://evil.test")\u202Eeman\u200B *Tess* <!channel>';
    await rename(name);
    const approvalId = await desk.askToPay(kind === "slack" ? "3.11" : "3.12");
    expect((await desk.decide(approvalId, { decision: "approve" }, approver.key)).status).toBe(200);
    const card = await plays[kind].see("approver", "Approved by");
    expect(card.text).not.toMatch(/[\u202A-\u202E\u200B]/);
    if (kind === "slack") {
      expect(card.raw).toContain("&lt;!channel&gt;");
      expect(card.raw).not.toContain("*Tess*");
    }
    await rename("Grace");
  });

  // The last one: the channel is off afterwards.
  it("after the token was revoked fails, and the account says that the channel is off", async () => {
    await isQuiet(kind);
    await plays[kind].arm("revoked", 4);
    const listNew = await startAnew();
    await expect
      .poll(() => service.sql("select state, off_because from channel where id = $1", [plays[kind].channelId]))
      .toEqual([{ state: "off", off_because: expect.stringContaining("Install it again") }]);
    await isQuiet(kind);
    expect(await readLast("state")).toEqual({ state: "failed" });
    const { missing } = z
      .object({ missing: z.array(z.object({ what: z.string() })) })
      .parse(requireResult(await service.call("read_account", {})));
    expect(missing.map(({ what }) => what).join()).toContain("Its access was withdrawn there.");
    expect(await listNew()).toEqual([]);
  });
});
