import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import {
  APPROVER,
  COLLEAGUE,
  direct,
  playSlack,
  SHARED,
  type SlackPlay,
  TRAVELER,
} from "../../../test/support/slack-play.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";
import { openVault } from "../../outside/vault.ts";
import { simulatedSecrets } from "./installation.ts";

/** People converse and approve in Slack: each wire is the real one, and the workspace is the simulator's. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
let slack: SlackPlay;
let signingSecret: string;

beforeAll(async () => {
  service = await openSharedService();
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
  slack = await playSlack(service, desk);
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  signingSecret = simulatedSecrets(await openVault(service.config), owner).signingSecret ?? "";
  await slack.link(TRAVELER, service.apiKey, `link-codes?userId=${DEMO_TRAVELER_ID}`);
  await slack.link(APPROVER, approver.key);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const path = () => `/api/webhooks/slack/${slack.channelId}`;

/** As Slack sends it. */
function sendSigned(body: string, { secret = signingSecret, ageSeconds = 0, type = "application/json" } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const mac = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  const headers = { "content-type": type, "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${mac}` };
  return { headers, send: (sent = body) => service.send(path(), { method: "POST", headers, body: sent }) };
}

const said = (id: string, text: string) =>
  JSON.stringify({
    type: "event_callback",
    event_id: id,
    event: { type: "message", channel_type: "im", user: TRAVELER, channel: direct(TRAVELER), text, ts: "1.2" },
  });
const turns = (text: string) =>
  service.sql("select id from conversation_turn where tenant_id = $1 and text = $2", [service.tenantId, text]);
const isHandled = async (id: string) =>
  expect
    .poll(() => service.sql("select outcome from channel_event where id = $1", [`${slack.channelId}:${id}`]))
    .toEqual([{ outcome: expect.any(String) }]);

describe("a message", () => {
  it("is a turn of the person's conversation, whose reply comes to the same place", async () => {
    await slack.say(TRAVELER, "Hello");
    await expect.poll(() => turns("Hello")).toHaveLength(1);
    const [{ reply } = {}] = await service.sql(
      "select reply from conversation_turn where tenant_id = $1 and text = 'Hello' and state = 'ended'",
      [service.tenantId],
    );
    await slack.see(direct(TRAVELER), String(reply ?? "").slice(0, 20));
  });

  it("of a stranger is answered and begins nothing; a wrong code links nobody", async () => {
    await slack.say(COLLEAGUE, "Book me a flight");
    await slack.see(direct(COLLEAGUE), "I do not know you yet");
    await slack.say(COLLEAGUE, "AAAA-BBBB");
    await slack.see(direct(COLLEAGUE), "That code is not valid");
    expect(await turns("Book me a flight")).toEqual([]);
  });

  it("that was signed too long ago, or is to come, is refused", async () => {
    const body = said("Ev0FORGED", "Forged");
    const refused = await Promise.all([301, -301].map((ageSeconds) => sendSigned(body, { ageSeconds }).send()));
    expect(refused.map(({ status }) => status)).toEqual([401, 401]);
    expect(await service.sql("select 1 from channel_event where id like $1", ["%Ev0FORGED"])).toEqual([]);
    // Control: the same, a moment before it is too old.
    expect((await sendSigned(body, { ageSeconds: 290 }).send()).status).toBe(200);
    await isHandled("Ev0FORGED");
  });

  it("with Slack's challenge is answered with it", async () => {
    const answer = await sendSigned(JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aBm2rZgRN" })).send();
    expect(answer.body).toEqual({ ok: true, challenge: "3eZbrw1aBm2rZgRN" });
  });
});

describe("a request for approval", () => {
  async function ask(amount: string) {
    const approvalId = await desk.askToPay(amount);
    const card = await slack.see(direct(APPROVER), `${amount} USD`);
    return { approvalId, card, shared: await slack.see(SHARED, `${amount} USD`) };
  }
  const read = async (approvalId: string) => (await desk.ask(`/api/approvals/${approvalId}`)).body;

  it("is a card with buttons, and is decided once by fifty presses at once", async () => {
    const { approvalId, card } = await ask("2.51");
    expect(card.buttons.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
    expect(card.buttons.map(({ value }) => value).join()).not.toContain(approvalId);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        slack.press(APPROVER, direct(APPROVER), card, index % 2 === 0 ? "Approve" : "Reject"),
      ),
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
      "select details->>'to' as to, details->>'with' as with from audit_log where action = 'approval.decide' and subject_id = $1",
      [approvalId],
    );
    expect(decisions).toEqual([{ to: decided.state, with: "channel" }]);
    // Every card shows who decided, and has no buttons any more.
    for (const place of [direct(APPROVER), SHARED]) {
      const shown = await slack.see(place, "by Grace on");
      expect(shown).toMatchObject({ isEdited: true, buttons: [] });
    }
  });

  it("is for those alone whom we know as approvers, wherever its card is", async () => {
    const { approvalId, shared } = await ask("2.62");
    await slack.press(COLLEAGUE, SHARED, shared, "Approve");
    await slack.see(SHARED, "I do not know you as an approver");
    await slack.press(TRAVELER, SHARED, shared, "Approve");
    await expect
      .poll(async () => (await slack.list(SHARED)).filter(({ onlyFor }) => onlyFor === TRAVELER))
      .toHaveLength(1);
    expect(await read(approvalId)).toMatchObject({ state: "pending" });
    // Control: an approver decides with the very same button.
    await slack.press(APPROVER, SHARED, shared, "Reject");
    await expect.poll(() => read(approvalId)).toMatchObject({ state: "rejected", decidedBy: approver.id });
  });

  it("that is decided elsewhere is shown as decided on every card", async () => {
    const { approvalId } = await ask("2.73");
    expect((await desk.decide(approvalId, { decision: "approve" }, approver.key)).status).toBe(200);
    for (const place of [direct(APPROVER), SHARED]) {
      await expect
        .poll(async () => (await slack.list(place)).find(({ text }) => text.includes("2.73 USD"))?.text)
        .toContain("Approved by Grace");
    }
  });
});

describe("an approver whose key was revoked", () => {
  it("decides nothing any more", async () => {
    const { tenantId } = service;
    const gus = await desk.newPerson("Gus", "approver");
    await slack.link(COLLEAGUE, gus.key);
    await service.operator(async ({ listKeys, revokeKey }) => {
      const keys = (await listKeys(tenantId)).filter(({ personId }) => personId === gus.id);
      for (const { id } of keys) await revokeKey(tenantId, id, "test");
    });
    const approvalId = await desk.askToPay("2.84");
    const card = await slack.see(direct(COLLEAGUE), "2.84 USD");
    await slack.press(COLLEAGUE, direct(COLLEAGUE), card, "Approve");
    await slack.see(direct(COLLEAGUE), "I do not know you as an approver");
    expect((await desk.ask(`/api/approvals/${approvalId}`)).body.state).toBe("pending");
  });
});
