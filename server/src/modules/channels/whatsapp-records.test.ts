import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { APPROVER, playWhatsApp, TRAVELER, type WhatsAppPlay } from "../../../test/support/whatsapp-play.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";

/** Messages of a channel as its records, and those that failed sent again. */
let service: TestService;
let desk: ApprovalDesk;
let whatsapp: WhatsAppPlay;
beforeAll(async () => {
  service = await openSharedService();
  desk = new ApprovalDesk(service);
  const approver = await desk.newPerson("Grace", "approver");
  whatsapp = await playWhatsApp(service, desk);
  await whatsapp.link(TRAVELER, service.apiKey, `link-codes?userId=${DEMO_TRAVELER_ID}`);
  await whatsapp.link(APPROVER, approver.key);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const turns = (text: string) =>
  service.sql("select id from conversation_turn where tenant_id = $1 and text = $2", [service.tenantId, text]);

describe("the channel's records", () => {
  const Records = z.object({
    records: z.array(
      z.object({
        id: z.string(),
        direction: z.string(),
        state: z.string(),
        what: z.string(),
        problem: z.string().nullable(),
        traceId: z.string().nullable(),
        conversationId: z.string().nullable(),
        approvalId: z.string().nullable(),
        canResend: z.boolean(),
      }),
    ),
  });
  const list = async (query = "") =>
    Records.parse((await desk.ask(`/api/channels/whatsapp/records?limit=100${query}`)).body).records;

  it("say what came and what went, without words, for this tenant alone", async () => {
    await whatsapp.say(TRAVELER, "For the record");
    await expect.poll(() => turns("For the record")).toHaveLength(1);
    const belonging = async (direction: string) =>
      (await list()).find((one) => one.direction === direction && one.conversationId !== null);
    await expect.poll(() => belonging("out")).toMatchObject({ what: "reply", state: "done" });
    await expect
      .poll(() => belonging("in"))
      .toMatchObject({ what: "event", state: "done", traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const text = JSON.stringify(await list());
    for (const hidden of ["For the record", "12025550101"]) expect(text).not.toContain(hidden);
    const { apiKey } = await service.operator((identity) =>
      identity.createTenant({ name: "Other", monthlyCapMicroUsdc: 0n, actor: "test" }),
    );
    const others = await desk.ask("/api/channels/whatsapp/records", undefined, apiKey);
    expect(others.body).toMatchObject({ records: [] });
  });

  it("show why a template was refused, and let the message be sent again", async () => {
    const change = (approval: string) =>
      desk.ask(
        `/api/channels/${whatsapp.channelId}`,
        { name: "WhatsApp", state: "on", templates: { approval } },
        service.operatorKey,
      );
    expect((await change("missing_one")).status).toBe(200);
    await whatsapp.beSilent(APPROVER, 25);
    await desk.enforce({});
    const refused = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2.95", token: "USDC" });
    await desk.ask("/api/policy-enforcement", { policyId: null }, service.operatorKey, "PUT");
    const { approvalId } = refused.body;
    const card = async () => (await list()).find((one) => one.what === "approval" && one.approvalId === approvalId);
    await expect.poll(card).toMatchObject({ state: "failed", problem: "messages: 132001 (400)", canResend: true });
    expect((await change("wayfare_approval")).status).toBe(200);
    const { id } = (await card()) ?? { id: "" };
    const resend = () =>
      desk.ask(`/api/channels/whatsapp/records/${id}/resend`, undefined, service.operatorKey, "POST");
    expect((await resend()).status).toBe(200);
    expect(await whatsapp.see(APPROVER, "2.95 USD")).toMatchObject({ type: "wayfare_approval" });
    await expect.poll(card).toMatchObject({ state: "done", problem: null });
    expect((await resend()).body.code).toBe("conflict");
    const resendUnknown = await desk.ask(
      "/api/channels/whatsapp/records/cmg_none/resend",
      undefined,
      service.operatorKey,
      "POST",
    );
    expect(resendUnknown.body.code).toBe("not_found");
  });
});
