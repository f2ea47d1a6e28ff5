import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { PHONE_IN_THE_DARK } from "../../../test/support/claim-page.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { APPROVER, playSlack, type SlackPlay } from "../../../test/support/slack-play.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** An approver presses the button in the simulator's page, and the run that waits goes on. */
let service: TestService;
let chromium: TestBrowser;
let slack: SlackPlay;
let desk: ApprovalDesk;
beforeAll(async () => {
  service = await startTestService({});
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  slack = await playSlack(service, desk);
  await slack.link(APPROVER, (await desk.newPerson("Grace", "approver")).key);
  const document = { flight: { maxPrice: { default: 1 } } };
  expect((await desk.ask("/api/policies/strict", { document }, service.operatorKey, "PUT")).status).toBe(201);
  chromium = await startBrowser();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const Trip = z.object({ tripId: z.string(), guestLink: z.string(), codeNonce: z.string() });
const runs = (path: string, body?: object) => desk.ask(`/api/workflows/${path}`, body, service.internalToken);

async function startRun(days: number): Promise<string> {
  const { tripId, guestLink, codeNonce } = Trip.parse(
    requireResult(await service.call("prefund_trip", { budgetUsdc: "3000" })),
  );
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  requireResult(await service.call("guest_claim_link", { guestLink, codeNonce, guestWallet }));
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days }).toString();
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate, policyId: "strict", acceptOverlap: true };
  const run = await runs("run", { workflowId: "service.book_flight", tenantId: service.tenantId, input });
  expect(run.body, run.text).toMatchObject({ status: "paused", nextStepId: "approval", decidedBy: "person" });
  return String(run.body.runId);
}

it.each([["a phone in the dark", PHONE_IN_THE_DARK, 50]] as const)(
  "pressed on %s, lets the run that waits for the approval go on",
  async (_name, look, days) => {
    const runId = await startRun(days);
    const { page, errors } = await chromium.watch(new URL(slack.playUrl).origin);
    await page.setViewportSize(look);
    await page.emulateMedia({ colorScheme: look.scheme });
    await page.goto(slack.playUrl);
    await page.getByRole("navigation").getByRole("button", { name: "Grace Approver" }).click();
    const chat = page.getByRole("list", { name: "Messages: Grace Approver" });
    const card = chat.getByRole("listitem").filter({ hasText: "Approval needed" });
    await card.getByRole("button", { name: "Approve" }).waitFor();
    expect(await card.innerText()).toContain("Flight LHR to CDG");
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await card.getByRole("button", { name: "Approve" }).click();
    await expect.poll(async () => (await runs(`runs/${runId}`)).body.status, { timeout: 60_000 }).toBe("completed");
    const decided = chat.getByRole("listitem").filter({ hasText: "Approved by Grace" }).last();
    await decided.waitFor();
    expect(await decided.getByRole("button").count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  },
);
