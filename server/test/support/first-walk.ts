import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openEscrow } from "./escrow.ts";
import type { TestService } from "./service.ts";
import { requireResult } from "./treasury.ts";

export interface WalkPages {
  desk: Page;
  /** Makes the page of the same person on a phone. */
  openPhone(): Promise<Page>;
  /** Called when a step has been taken, with what is on the screen then. */
  look(step: string, page: Page): Promise<void>;
}

/** Milliseconds from opening the printed link. */
export interface WalkTimes {
  signedIn: number;
  firstCall: number;
}

const PAYEE = `0x${"7".repeat(40)}`;

/**
 * The steps of somebody who has never seen the product, in a browser from the printed link to the revoked key. The agent's own calls are
 * made with the key that the page has shown.
 */
export async function takeFirstWalk(service: TestService, { desk, openPhone, look }: WalkPages): Promise<WalkTimes> {
  const began = performance.now();
  await desk.goto(signInLink(service));
  await desk.getByRole("button", { name: "Sign in" }).click();
  await desk.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  const signedIn = performance.now() - began;
  await look("1 home", desk);

  const { key, firstCall } = await mintAndCall(service, { desk, look });
  await bookInPlayground(desk, look);
  await approveOnPhone(service, { key, desk, openPhone, look });
  await findMoney(service, { key, desk, look });
  await seeFailure(service, { key, desk, look });
  await revoke(service, { key, desk, look });
  return { signedIn, firstCall: firstCall - began };
}

/** The one in the lines that the start prints. */
function signInLink(service: TestService): string {
  const link = service.app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0];
  if (link === undefined) throw new Error("The start printed no link to sign in.");
  return link;
}

type Looking = Pick<WalkPages, "desk" | "look">;

const go = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();

async function mintAndCall(service: TestService, { desk, look }: Looking): Promise<{ key: string; firstCall: number }> {
  await go(desk, "API keys");
  await desk.getByRole("button", { name: "New key" }).click();
  await desk.getByLabel("Name").fill("first agent");
  await desk.getByRole("button", { name: "Create the key" }).click();
  await desk.getByText("it is not shown again").first().waitFor();
  const key = await desk.locator(".sheet code").first().innerText();
  await look("2 key", desk);
  // The line for curl, as it stands on the page.
  const line = await desk.locator(".sheet code").nth(1).innerText();
  const [, url = ""] = /POST (\S+)/.exec(line) ?? [];
  const [, body = ""] = /-d '(.+)'/s.exec(line) ?? [];
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const called = await fetch(url, { method: "POST", headers, body });
  expect(called.status, await called.text()).toBe(200);
  const firstCall = performance.now();
  await desk.getByRole("button", { name: "I have stored it" }).click();
  await desk.getByText("first agent").waitFor();
  await look("3 keys", desk);
  expect(service.appUrl).toBe(new URL(url).origin);
  return { key, firstCall };
}

async function bookInPlayground(desk: Page, look: WalkPages["look"]): Promise<void> {
  await go(desk, "Playground");
  await desk.getByLabel("Find a tool").fill("search flights");
  await desk.locator("a[href*='tool=search_flights']").first().click();
  await desk.getByRole("button", { name: "Fill in the example" }).click();
  await desk.getByRole("button", { name: /^Call/ }).click();
  await desk.locator("details.card").first().waitFor();
  await look("4 search", desk);
  await desk.getByRole("button", { name: "JSON", exact: true }).click();
  const [, offerId = ""] = /"id": "(off_\w+)"/.exec(await desk.locator(".answer pre").first().innerText()) ?? [];
  expect(offerId).not.toBe("");
  await saveTraveler(desk);
  await desk.getByLabel("Find a tool").fill("book flight");
  await desk.locator("a[href*='tool=book_flight']").first().click();
  await desk.getByLabel("offerId").fill(offerId);
  await desk.getByRole("button", { name: /^Preview/ }).click();
  await desk.getByText("It would be accepted.").waitFor();
  await look("5 preview", desk);
  await desk.getByRole("button", { name: /^Call: .* USDC in all/ }).click();
  await desk.locator(".answer").getByText("ord_").first().waitFor();
  await look("6 booked", desk);
}

/** A person who books for the first time is asked for a name and a date of birth: the call would be refused without. */
async function saveTraveler(desk: Page): Promise<void> {
  await desk.getByLabel("Find a tool").fill("save traveler");
  await desk.locator("a[href*='tool=save_traveler']").first().click();
  await desk.getByRole("button", { name: "Fill in the example" }).click();
  // The example is about somebody else.
  await desk.getByLabel("userId").fill("");
  await desk.getByRole("button", { name: /^Preview/ }).click();
  await desk.getByText("It would be accepted.").waitFor();
  await desk.getByRole("button", { name: /^Call: / }).click();
  await desk.locator(".answer").getByText("Grace").first().waitFor();
}

interface WithKey extends Looking {
  key: string;
}

async function approveOnPhone(
  service: TestService,
  { key, desk, openPhone, look }: WithKey & Pick<WalkPages, "openPhone">,
): Promise<void> {
  const put = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
    const { status, text } = await service.send(path, { method: "PUT", headers, body: JSON.stringify(body) });
    expect(status, text).toBeLessThan(300);
  };
  await put("/api/policies/careful", { document: { title: "Careful", payments: { maxAmountUsd: 1 } } });
  await put("/api/policy-enforcement", { policyId: "careful" });
  const asked = { to: PAYEE, amount: "2" };
  const refused = await service.call("send_tokens", asked, { key });
  expect(refused.body).toMatchObject({ code: "approval_required" });
  await go(desk, "Home");
  await desk.getByText("Send tokens").first().waitFor();
  await look("7 somebody is needed", desk);
  const phone = await openPhone();
  await phone.goto(`${service.appUrl}/dashboard/approvals`);
  await phone.getByRole("link", { name: "Send tokens" }).click();
  await phone.getByLabel("Reason").fill("Agreed by telephone");
  await look("8 approval", phone);
  await phone.getByRole("button", { name: /^Approve/ }).click();
  await phone.getByText("Reason: Agreed by telephone").waitFor();
  requireResult(await service.call("send_tokens", asked, { key }));
  await put("/api/policy-enforcement", { policyId: null });
}

async function findMoney(service: TestService, { key, desk, look }: WithKey): Promise<void> {
  const escrow = openEscrow(service);
  try {
    const bookingId = await escrow.bookingAfter(await escrow.prefund("20", {}, { key }), "settle_booking");
    const { invoiceNumber } = requireResult(await service.call("generate_booking_invoice", { bookingId }, { key }));
    await go(desk, "Money");
    await desk.getByText("Transfer to an address").first().waitFor();
    await desk.getByText("−2.00 USDC").first().waitFor();
    await desk.getByText(String(invoiceNumber)).first().waitFor();
    await look("9 money", desk);
  } finally {
    await escrow.close();
  }
  await go(desk, "Trips");
  await desk.getByRole("link", { name: /to/ }).first().waitFor();
  await look("10 trips", desk);
}

async function seeFailure(service: TestService, { key, desk, look }: WithKey): Promise<void> {
  await service.call("search_flights", { origin: "nowhere" }, { key });
  await go(desk, "Usage");
  await desk.getByRole("button", { name: "Search flights" }).first().click();
  await desk.getByRole("definition").getByText("invalid_input").waitFor();
  await look("11 failed call", desk);
}

async function revoke(service: TestService, { key, desk, look }: WithKey): Promise<void> {
  await go(desk, "API keys");
  const row = desk.getByRole("listitem").filter({ hasText: "first agent" });
  await row.getByRole("button", { name: "Revoke" }).click();
  await desk.getByRole("button", { name: "Revoke the key" }).click();
  await row.getByText("revoked").waitFor();
  await look("12 revoked", desk);
  expect((await service.call("read_account", {}, { key })).status).toBe(401);
}
