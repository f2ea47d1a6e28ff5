import { afterAll, beforeAll, expect, it } from "vitest";
import { CHAT_KINDS, type Chats, openChats } from "../../../test/support/chat-plays.ts";

/** Requests for approval in every place at once: Slack, WhatsApp, the links of mails, their page, and the API. */

let service: Chats["service"];
let desk: Chats["desk"];
let plays: Chats["plays"];
let approver: Chats["approver"];
beforeAll(async () => {
  ({ service, desk, plays, approver } = await openChats());
});
afterAll(() => service?.[Symbol.asyncDispose]());

const read = async (approvalId: string) => (await desk.ask(`/api/approvals/${approvalId}`)).body;
const seeAll = (text: string) => Promise.all(CHAT_KINDS.map((kind) => plays[kind].see("approver", text)));
const isIdle = () =>
  expect
    .poll(() =>
      service.sql(
        `select 1 from channel_event where tenant_id = $1 and finished_at is null
         union all select 1 from channel_message where tenant_id = $1 and next_at is not null`,
        [service.tenantId],
      ),
    )
    .toEqual([]);

it("names the traveler as the profile does, and what is paid to whom", async () => {
  await desk.enforce({});
  const offerId = await desk.anOffer(30);
  const refused = await service.call("book_flight", { offerId });
  expect(refused.body.code).toBe("approval_required");
  await desk.ask("/api/policy-enforcement", { policyId: null }, service.operatorKey, "PUT");
  for (const card of await seeAll("For Tess Traveler")) expect(card.text).toContain("Flight LHR to JFK");
  await desk.askToPay("3.21");
  for (const card of await seeAll("3.21 USDC to 0x7777")) expect(card.text).toContain("3.21 USD");
});

it("is decided once by fifty decisions at once over Slack, WhatsApp, a mail's link and the API, and every card says so", async () => {
  const approvalId = await desk.askToPay("3.32");
  const [slackCard, whatsAppCard] = await seeAll("3.32 USD");
  if (slackCard === undefined || whatsAppCard === undefined) throw new Error("a card is missing");
  const linkSecret = new URL(await desk.findLink(approvalId, approver)).hash.slice(1);
  const ways = [
    (label: string) => plays.slack.press("approver", slackCard, label),
    (label: string) => plays.whatsapp.press("approver", whatsAppCard, label),
    (label: string) => {
      const proof = { personId: approver.id, linkSecret, decision: label.toLowerCase() };
      return desk.ask(`/api/approval-links/${approvalId}`, proof);
    },
    (label: string) => desk.decide(approvalId, { decision: label.toLowerCase() }, approver.key),
  ];
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => ways[index % ways.length]?.(index % 8 < 4 ? "Approve" : "Reject")),
  );
  await isIdle();
  const decided = await read(approvalId);
  const decisions = await service.sql(
    "select details->>'to' as to from audit_log where action = 'approval.decide' and subject_id = $1",
    [approvalId],
  );
  expect(decisions).toEqual([{ to: decided.state }]);
  const said = decided.state === "approved" ? "Approved by Grace" : "Rejected by Grace";
  for (const shown of await seeAll(said)) {
    expect(shown.buttons).toEqual([]);
    expect(shown.text).toContain("3.32 USD");
  }
  expect(
    await service.sql(
      "select 1 from channel_button where tenant_id = $1 and message_id in (select id from channel_message where about = $2)",
      [service.tenantId, approvalId],
    ),
  ).toEqual([]);
});

it("loses its buttons when its time is over, says so once, and is decided by no press afterwards", async () => {
  const approvalId = await desk.askToPay("3.43");
  const cards = await seeAll("3.43 USD");
  await isIdle();
  await service.sql("update approval set expires_at = now() where id = $1", [approvalId]);
  await service.sql("update channel_message set ends_at = now() where about = $1", [approvalId]);
  const [onSlack, onWhatsApp] = await seeAll("Expired on");
  expect(onSlack).toMatchObject({ id: cards[0]?.id, isEdited: true, buttons: [] });
  // A message on WhatsApp stays as it is: another one follows.
  expect(onWhatsApp).toMatchObject({ buttons: [] });
  for (const kind of CHAT_KINDS) {
    const card = cards[CHAT_KINDS.indexOf(kind)];
    if (card !== undefined) await plays[kind].press("approver", card, "Approve");
  }
  await plays.whatsapp.see("approver", "That question is not open any more");
  await isIdle();
  expect(await read(approvalId)).toMatchObject({ state: "expired", decidedBy: null });
  const ends = (await plays.whatsapp.listReceived("approver")).filter(({ text }) => text.includes("Expired on"));
  expect(ends).toHaveLength(1);
  // Control: one whose time is not over keeps its buttons.
  await desk.askToPay("3.54");
  for (const card of await seeAll("3.54 USD")) expect(card.buttons).toHaveLength(2);
});
