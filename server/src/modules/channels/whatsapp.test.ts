import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { APPROVER, COLLEAGUE, playWhatsApp, TRAVELER, type WhatsAppPlay } from "../../../test/support/whatsapp-play.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";
import { openVault } from "../../outside/vault.ts";
import { EXAMPLE_RECEIPT } from "../documents/example-document.ts";
import { deriveSimulated } from "./installation.ts";

/** People converse and approve on WhatsApp: the wire is the real one, and its other end is the simulator. */
let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
let whatsapp: WhatsAppPlay;
let simulated: ReturnType<typeof deriveSimulated>["whatsapp"];
beforeAll(async () => {
  service = await openSharedService();
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
  whatsapp = await playWhatsApp(service, desk);
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  simulated = deriveSimulated(await openVault(service.config), owner).whatsapp;
  await whatsapp.link(TRAVELER, service.apiKey, `link-codes?userId=${DEMO_TRAVELER_ID}`);
  await whatsapp.link(APPROVER, approver.key);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const path = () => `/api/webhooks/whatsapp/${whatsapp.channelId}`;
const seconds = (ago = 0) => String(Math.floor(Date.now() / 1_000) - ago);

/** As Meta sends it. */
function sendSigned(body: string, secret = simulated.appSecret) {
  const mac = createHmac("sha256", secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${mac}` };
  return (sent = body) => service.send(path(), { method: "POST", headers, body: sent });
}

const wrap = (value: object, phoneNumberId = simulated.phoneNumberId) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [
      { id: "1", changes: [{ field: "messages", value: { metadata: { phone_number_id: phoneNumberId }, ...value } }] },
    ],
  });
const said = async (id: string, text: string, ago = 0) => {
  const { phone, userId } = await whatsapp.findPerson(TRAVELER);
  const message = {
    id,
    from: phone,
    from_user_id: userId,
    timestamp: seconds(ago),
    type: "text",
    text: { body: text },
  };
  return { messages: [message] };
};

const turns = (text: string) =>
  service.sql("select id from conversation_turn where tenant_id = $1 and text = $2", [service.tenantId, text]);
const stored = (id: string) =>
  service.sql("select outcome from channel_event where id = $1", [`${whatsapp.channelId}:${id}`]);
const isHandled = (id: string) => expect.poll(() => stored(id)).toEqual([{ outcome: expect.any(String) }]);
const messages = (columns: string, where = "true", parameters: readonly unknown[] = []) =>
  service.sql(`select ${columns} from channel_message where channel_id = $1 and ${where} order by position`, [
    whatsapp.channelId,
    ...parameters,
  ]);
const isQuiet = () => expect.poll(() => messages("id", "state = 'waiting'"), { timeout: 20_000 }).toEqual([]);

describe("a message", () => {
  it("is a turn of the person's conversation, whose reply comes to the same place", async () => {
    await whatsapp.say(TRAVELER, "Hello");
    await expect.poll(() => turns("Hello")).toHaveLength(1);
    const ended = async () =>
      (
        await service.sql(
          "select reply from conversation_turn where tenant_id = $1 and text = 'Hello' and state = 'ended'",
          [service.tenantId],
        )
      )[0]?.reply;
    await expect.poll(ended).toEqual(expect.any(String));
    const reply = await whatsapp.see(TRAVELER, String(await ended()).slice(0, 20));
    expect(reply.type).not.toMatch(/^wayfare_/);
  });

  it("that is older than what is still known, or another number's, is taken and left out", async () => {
    await sendSigned(wrap(await said("wamid.OLD", "Old", 7 * 86_400 + 60)))();
    await sendSigned(wrap(await said("wamid.ELSEWHERE", "Elsewhere"), "999999999"))();
    expect([await stored("wamid.OLD"), await stored("wamid.ELSEWHERE")]).toEqual([[], []]);
    // Control: one that is late, and not too late.
    await sendSigned(wrap(await said("wamid.LATE", "Late", 6 * 86_400)))();
    await isHandled("wamid.LATE");
    expect(await turns("Late")).toHaveLength(1);
  });

  it("that WhatsApp repeats at once, delays, or dates back is one turn, one turn, and none", async () => {
    await whatsapp.arm("duplicated", "/_events/whatsapp");
    await whatsapp.say(TRAVELER, "Repeated there");
    await expect.poll(() => turns("Repeated there")).toHaveLength(1);
    await whatsapp.arm("late", "/_events/whatsapp");
    await whatsapp.say(TRAVELER, "Overtaken");
    await whatsapp.arm("old", "/_webhooks/whatsapp");
    await whatsapp.say(TRAVELER, "Dated back");
    await expect.poll(() => turns("Overtaken")).toHaveLength(1);
    await whatsapp.say(TRAVELER, "In time");
    await expect.poll(() => turns("In time")).toHaveLength(1);
    expect([await turns("Repeated there"), await turns("Dated back")]).toEqual([[{ id: expect.any(String) }], []]);
  });

  it("beside another that makes no sense is handled all the same", async () => {
    const { messages: sense } = await said("wamid.SENSE", "Sense");
    const nonsense = [null, { id: 7 }, { id: "wamid.X", type: "reaction" }];
    const send = sendSigned(wrap({ contacts: [], messages: [...nonsense, ...sense], statuses: ["?"] }));
    expect((await send()).status).toBe(200);
    await isHandled("wamid.SENSE");
  });

  it("of a person without a phone number is answered by id; in a group it proves nobody", async () => {
    await whatsapp.say(COLLEAGUE, "Book me a flight");
    await whatsapp.see(COLLEAGUE, "I do not know you yet");
    await whatsapp.say(TRAVELER, "In a group", { isGroup: true });
    await whatsapp.see(TRAVELER, "Others read along here");
    expect([await turns("Book me a flight"), await turns("In a group")]).toEqual([[], []]);
  });

  it("comes from the same person after a change of id", async () => {
    await whatsapp.say(TRAVELER, "Before the change");
    await expect.poll(() => turns("Before the change")).toHaveLength(1);
    const before = await whatsapp.findPerson(TRAVELER);
    expect(await whatsapp.post("changes", { person: TRAVELER })).toBe(201);
    await expect
      .poll(() => service.sql("select id from channel_person where external_id = $1", [before.userId]))
      .toEqual([]);
    await whatsapp.say(TRAVELER, "After the change");
    await expect.poll(() => turns("After the change")).toHaveLength(1);
    const conversations = await service.sql(
      "select distinct conversation_id from conversation_turn where tenant_id = $1 and text like '% the change'",
      [service.tenantId],
    );
    expect(conversations).toHaveLength(1);
    // With the number again.
    expect(await whatsapp.post("changes", { person: TRAVELER, phone: before.phone })).toBe(201);
    const { userId } = await whatsapp.findPerson(TRAVELER);
    await expect
      .poll(() => service.sql("select phone from channel_person where external_id = $1", [userId]))
      .toEqual([{ phone: before.phone }]);
  });
});

describe("a document", () => {
  const send = async () =>
    expect(
      await whatsapp.post("media", {
        person: TRAVELER,
        contentType: "application/pdf",
        fileName: "receipt.pdf",
        data: EXAMPLE_RECEIPT,
      }),
    ).toBe(201);
  const scans = async () =>
    (
      await service.sql("select 1 from usage_record where tool = 'scan_document' and tenant_id = $1", [
        service.tenantId,
      ])
    ).length;

  it("is read once the person says what it is, and not before", async () => {
    await send();
    const asked = await whatsapp.see(TRAVELER, "Choose, and I read it");
    expect(asked.buttons.map(({ label }) => label)).toContain("Do not read it");
    // Somebody else's consent is none.
    expect(await whatsapp.press(COLLEAGUE, asked, "Receipt or invoice")).toBe(201);
    await whatsapp.see(COLLEAGUE, "Only the person who was asked");
    expect(await scans()).toBe(0);
    expect(await whatsapp.press(TRAVELER, asked, "Receipt or invoice")).toBe(201);
    const read = await whatsapp.see(TRAVELER, "This is what I read");
    expect(read.text).toMatch(/total/i);
    await expect.poll(scans).toBe(1);
    // A consent is used once.
    expect(await whatsapp.press(TRAVELER, asked, "Receipt or invoice")).toBe(201);
    await whatsapp.see(TRAVELER, "That question is not open any more");
    expect(await scans()).toBe(1);
  });

  it("that is not to be read is not", async () => {
    await send();
    const before = await scans();
    await expect
      .poll(async () => (await whatsapp.list(TRAVELER)).filter(({ text }) => text.includes("Choose, and")))
      .toHaveLength(2);
    const again = await whatsapp.see(TRAVELER, "Choose, and I read it");
    expect(await whatsapp.press(TRAVELER, again, "Do not read it")).toBe(201);
    await whatsapp.see(TRAVELER, "I did not read it");
    expect(await scans()).toBe(before);
  });
});

describe("the webhook's address", () => {
  const ask = (query: string) => service.send(`${path()}?${query}`, {});
  it("answers Meta's challenge with the right token alone", async () => {
    const right = `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${whatsapp.verifyToken}`;
    const answer = await ask(right);
    expect([answer.status, answer.text]).toEqual([200, "1158201444"]);
    const wrong = [right.replace(whatsapp.verifyToken, "x"), right.replace("subscribe", "y"), "hub.challenge=1"];
    expect((await Promise.all(wrong.map(ask))).map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe("a request for approval", () => {
  async function ask(amount: string) {
    return { approvalId: await desk.askToPay(amount), card: await whatsapp.see(APPROVER, `${amount} USD`) };
  }
  const read = async (approvalId: string) => (await desk.ask(`/api/approvals/${approvalId}`)).body;

  it("is decided once by fifty presses and calls at once; a message that follows says by whom", async () => {
    const { approvalId, card } = await ask("2.51");
    expect(card.buttons.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
    expect(card.buttons.map(({ value }) => value).join()).not.toContain(approvalId);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const isYes = index % 4 < 2;
        return index % 2 === 0
          ? whatsapp.press(APPROVER, card, isYes ? "Approve" : "Reject")
          : desk.decide(approvalId, { decision: isYes ? "approve" : "reject" }, approver.key);
      }),
    );
    await expect.poll(async () => (await read(approvalId)).state).not.toBe("pending");
    const decided = await read(approvalId);
    expect(decided.decidedBy).toBe(approver.id);
    await expect
      .poll(() =>
        service.sql("select count(*)::int as open from channel_event where tenant_id = $1 and finished_at is null", [
          service.tenantId,
        ]),
      )
      .toEqual([{ open: 0 }]);
    const decisions = await service.sql(
      "select details->>'to' as to from audit_log where action = 'approval.decide' and subject_id = $1",
      [approvalId],
    );
    expect(decisions).toEqual([{ to: decided.state }]);
    const end = await whatsapp.see(APPROVER, "by Grace on");
    expect(end).toMatchObject({ buttons: [], type: "text" });
    expect(end.text).toContain("2.51 USD");
    expect(end.id).not.toBe(card.id);
    const ends = (await whatsapp.list(APPROVER)).filter(({ text }) => text.includes("by Grace on"));
    expect(ends).toHaveLength(1);
  });

  it("is for those alone whom we know as approvers", async () => {
    const { approvalId, card } = await ask("2.62");
    for (const stranger of [COLLEAGUE, TRAVELER]) {
      expect(await whatsapp.press(stranger, card, "Approve")).toBe(201);
      await whatsapp.see(stranger, "I do not know you as an approver");
    }
    expect(await read(approvalId)).toMatchObject({ state: "pending" });
    // Control: an approver decides with the very same button.
    await whatsapp.press(APPROVER, card, "Reject");
    await expect.poll(() => read(approvalId)).toMatchObject({ state: "rejected", decidedBy: approver.id });
  });

  it("reaches an approver who wrote nothing for a day by a template with the same buttons", async () => {
    await whatsapp.beSilent(APPROVER, 25);
    const { approvalId, card } = await ask("2.73");
    expect(card).toMatchObject({ type: "wayfare_approval", text: expect.stringContaining("2.73 USD · For") });
    // It was judged before it was sent, not after Meta refused it.
    expect(await messages("attempts", "kind = 'approval' and about = $2", [approvalId])).toEqual([{ attempts: 1 }]);
    expect(await whatsapp.press(APPROVER, card, "Approve")).toBe(201);
    await expect.poll(() => read(approvalId)).toMatchObject({ state: "approved", decidedBy: approver.id });
    // The press has opened the window again.
    expect(await whatsapp.see(APPROVER, "Approved by Grace")).toMatchObject({ type: "text" });
  });
});

describe("a message out", () => {
  it("rises from sent to read, and never falls, in whatever order and however often that is told", async () => {
    // The first two reports are lost on their way.
    await whatsapp.arm("lost", "/_webhooks/whatsapp", 2);
    const before = (await whatsapp.list(TRAVELER)).length;
    await sendSigned(wrap(await said("wamid.RISES", "new")))();
    await expect.poll(() => whatsapp.list(TRAVELER)).toHaveLength(before + 1);
    const { id = "" } = (await whatsapp.list(TRAVELER)).at(-1) ?? {};
    const state = async () => (await messages("state", "external_id = $2", [id]))[0]?.state;
    await expect.poll(state).toBe("sent");
    const tell = (status: string) => sendSigned(wrap({ statuses: [{ id, status, timestamp: seconds() }] }))();
    await Promise.all([tell("read"), tell("read")]);
    await expect.poll(state).toBe("read");
    for (const status of ["sent", "delivered", "failed"]) {
      await tell(status);
      await isHandled(`${id}.${status}`);
      expect(await state()).toBe("read");
    }
  });

  it("is a template where Meta finds the window closed after it took the message", async () => {
    await isQuiet();
    // The product believes that the person wrote just now.
    expect(await whatsapp.post("silences", { person: APPROVER, hours: 25 })).toBe(201);
    await service.sql("update channel_person set last_message_at = now() where channel_id = $1", [whatsapp.channelId]);
    await desk.askToPay("2.84");
    expect(await whatsapp.see(APPROVER, "2.84 USD")).toMatchObject({ type: "wayfare_approval" });
    await expect
      .poll(() => messages("state, is_template", "kind = 'approval' and is_template order by position desc limit 1 --"))
      .toEqual([{ state: "delivered", is_template: true }]);
  });
});
