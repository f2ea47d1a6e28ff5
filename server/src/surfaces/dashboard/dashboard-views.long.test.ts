import { readFileSync } from "node:fs";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Markup that would run, load or draw something if it were more than text. Each has an element with `data-markup`. */
const MARKUP = [
  '<img data-markup src="/none" onerror="markupRan=1">',
  "<script data-markup>markupRan=1</script>",
  '"><svg data-markup onload="markupRan=1">',
  "</textarea><b data-markup>bold</b>",
  "{{constructor.constructor('markupRan=1')()}}<i data-markup>",
  '<a data-markup href="javascript:markupRan=1">press</a>',
] as const;
const [IMAGE, SCRIPT, SVG, TEXTAREA, TEMPLATE, LINK] = MARKUP;

let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
let views: readonly { name: string; path: string; shows: string }[];

beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  await service.isFunded(service.tenantId);
  views = await fillProduct();
  watched = await chromium.watch(service.appUrl);
  const link = service.app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0] ?? "";
  await watched.page.goto(link);
  await watched.page.getByRole("button", { name: "Sign in" }).click();
  await watched.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const day = (ahead: number) => Temporal.Now.plainDateISO("UTC").add({ days: ahead }).toString();

async function send(path: string, method: "POST" | "PUT", body: object, key = service.operatorKey) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await service.send(path, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

/** Records of every kind, whose texts are markup wherever a caller or a supplier gives them. */
async function fillProduct() {
  const call = async (tool: string, args: object) => requireResult(await service.call(tool, args));
  const found = await call("search_flights", { origin: "LHR", destination: "JFK", departureDate: day(60) });
  const [offer] = Array.isArray(found.offers) ? found.offers : [];
  const { orderId } = await call("book_flight", { offerId: offer.id });
  const trip = await call("prefund_trip", { budgetUsdc: "900", tripSummary: IMAGE, guestName: SVG });
  const input = { tripId: trip.tripId, origin: "LHR", destination: "CDG", departureDate: day(40) };
  const { runId } = await send("/api/workflows/run", "POST", { workflowId: "service.book_flight", input });
  const action = { tripId: trip.tripId, bookingType: "flight", actionType: LINK };
  await service.call("log_agent_action", action);
  await send("/api/policies/markup", "PUT", { document: { title: SCRIPT, payments: { maxAmountUsd: 1 } } });
  await send("/api/policy-enforcement", "PUT", { policyId: "markup" });
  const asked = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2" });
  const approvalId = String(asked.body.approvalId);
  await send("/api/policy-enforcement", "PUT", { policyId: null });
  await send("/api/budgets", "PUT", { budgetId: "year", amountUsdc: "500", costCentre: TEXTAREA });
  await send("/api/keys", "POST", { name: TEMPLATE });
  await send("/api/event-endpoints", "POST", { url: "https://example.com/hook", description: IMAGE });
  await service.call("search_flights", { origin: SCRIPT });
  await service.call("give_feedback", { subjectAgentId: "1", stars: 4, tag: LINK, fromKind: "org" });
  await send("/api/tenants", "POST", { name: SVG });
  return [
    { name: "home", path: "/", shows: "Needs attention" },
    { name: "trips", path: "/trips", shows: "LHR to JFK" },
    { name: "budgets", path: "/trips?list=budgets", shows: IMAGE },
    { name: "order", path: `/trips/orders/${orderId}`, shows: "London (LHR) to New York (JFK)" },
    { name: "budget", path: `/trips/budgets/${trip.tripId}`, shows: IMAGE },
    { name: "runs", path: "/runs", shows: "Book flight" },
    { name: "run", path: `/runs/${runId}?step=1`, shows: "It waits at" },
    { name: "approvals", path: "/approvals", shows: "Send tokens" },
    { name: "one approval", path: `/approvals?id=${approvalId}`, shows: "What your answer does" },
    { name: "sandbox", path: "/sandbox", shows: "They agree" },
    { name: "money", path: "/money", shows: "Payment of an order" },
    { name: "usage", path: "/usage", shows: "Search flights" },
    { name: "usage by key", path: "/usage?by=key", shows: "Who and what" },
    { name: "reputation", path: "/reputation", shows: LINK },
    { name: "validations", path: "/reputation?list=validations", shows: "Nothing has been validated yet" },
    { name: "audit", path: "/audit", shows: "made the key" },
    { name: "audit, one line", path: "/audit?action=key&text=constructor", shows: TEMPLATE },
    { name: "tenants", path: "/tenants", shows: SVG },
    { name: "playground", path: "/playground?tool=search_hotels", shows: "Fill in the example" },
    { name: "channels", path: "/channels?channel=supplier", shows: "air/orders" },
    { name: "endpoints", path: "/channels?list=events", shows: IMAGE },
    { name: "places", path: "/channels", shows: "No channel" },
    { name: "policy", path: "/policy?policy=markup", shows: SCRIPT },
    { name: "policy, JSON", path: "/policy?policy=markup&form=json", shows: "<script data-markup>" },
    { name: "policy, form", path: "/policy?policy=markup&form=edit", shows: "limits nothing" },
    { name: "keys", path: "/settings/keys", shows: "calls in 24 hours" },
    { name: "sessions", path: "/settings/sessions", shows: "seen" },
    { name: "more", path: "/more", shows: "API reference" },
  ];
}

async function open({ path, shows }: { path: string; shows: string }): Promise<void> {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard${path}`);
  await page.getByText(shows).first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}

/** Elements that came from texts, and whether one of them has run. */
const findMarkup = async () =>
  await watched.page.evaluate(
    "({ elements: document.querySelectorAll('[data-markup]').length, hasRun: 'markupRan' in window })",
  );

/** Each violation with the first element that it is about. */
const FIND_VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))";

describe.each([
  ["a phone, light", 390, "light"],
  ["a phone, dark", 390, "dark"],
  ["a desk, light", 1440, "light"],
  ["a desk, dark", 1440, "dark"],
] as const)("on %s", (_name, width, colorScheme) => {
  it("every view is accessible, fits, keeps texts as texts, and loads nothing from elsewhere", async () => {
    const { page, errors, foreignRequests } = watched;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    for (const view of views) {
      await open(view);
      await page.evaluate(axe.source);
      expect(await page.evaluate(FIND_VIOLATIONS), view.name).toEqual([]);
      const beside = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(beside), view.name).toBe(0);
      expect(await findMarkup(), view.name).toEqual({ elements: 0, hasRun: false });
    }
    expect(errors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });
});

it("a supplier's markup is text in the playground's answer", async () => {
  const { page, errors } = watched;
  await page.setViewportSize({ width: 1440, height: 900 });
  const names = JSON.stringify(MARKUP.join(" ")).slice(1, -1);
  // The hotels of the sandbox have this in their names, and none has markup.
  await page.route("**/api/agent/dispatch", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll("(Sandbox)", () => names) });
  });
  await open({ path: "/playground?tool=search_hotels", shows: "Fill in the example" });
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.locator("details.card").first().waitFor();
  for (const summary of await page.locator("details.card > summary:visible").all()) await summary.click();
  for (const text of MARKUP) expect(await page.locator(".answer").innerText()).toContain(text);
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await page.locator(".answer pre").waitFor();
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
  await page.unroute("**/api/agent/dispatch");
  expect(errors).toEqual([]);
});

it("an offer leads to the filled form of its booking, which names the flight and what the profile still lacks", async () => {
  const { page } = watched;
  await open({ path: "/playground?tool=search_flights", shows: "Fill in the example" });
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("link", { name: "Book this" }).first().click();
  expect(await page.getByLabel("offerId").inputValue()).toMatch(/^off_/);
  await page
    .getByRole("definition")
    .filter({ hasText: /LHR \d\d:\d\d to / })
    .waitFor();
  await page.getByRole("button", { name: /^Preview/ }).click();
  await page.getByText(/ lacks .*(given name|born on|phone number)/).waitFor();
  await page.getByRole("link", { name: "Fill in the profile" }).click();
  expect(await page.getByLabel("userId").inputValue()).toMatch(/^user_/);
});

it("a call that moves money is previewed first, and moves what the preview said", async () => {
  const { page } = watched;
  await open({ path: "/playground?tool=send_tokens", shows: "Fill in the example" });
  const call = page.getByRole("button", { name: /^Call/ });
  expect(await call.isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByRole("button", { name: /^Preview/ }).click();
  await page.getByText("It would be accepted.").waitFor();
  await page.getByLabel("amount").fill("3");
  expect(await call.isDisabled(), "the arguments are others than the previewed ones").toBe(true);
  await page.getByRole("button", { name: /^Preview/ }).click();
  await page.getByRole("button", { name: "Call: 3.005 USDC in all" }).click();
  await page.getByText("Tx hash").waitFor();
  await open({ path: "/money", shows: "Transfer to an address" });
  await page.getByText("−3.00 USDC").first().waitFor();
});

it("a fault that is armed on the page meets the next search, and the page then shows none", async () => {
  const { page } = watched;
  await open({ path: "/sandbox", shows: "Nothing is armed" });
  await page.getByLabel("When the service is").selectOption("search_stays");
  await page.getByLabel("This happens").selectOption("not_enabled");
  await page.getByRole("button", { name: "Arm it" }).click();
  await page.getByText("next request").waitFor();
  const args = { location: "Lisbon", checkInDate: day(61), checkOutDate: day(63) };
  expect((await service.call("search_hotels", args)).body.ok).not.toBe(true);
  await page.reload();
  await page.getByText("Nothing is armed").waitFor();
  expect((await service.call("search_hotels", args)).body.ok).toBe(true);
});

it("rules that are changed in the form are the same as JSON, and the saved version differs in them alone", async () => {
  const { page } = watched;
  await open({ path: "/policy?policy=markup&form=edit", shows: "limits nothing" });
  await page.getByLabel("Max amount, USD").fill("7");
  await page.locator(".differences").getByText("payments.maxAmountUsd").waitFor();
  await page.getByRole("group", { name: "Edit as" }).getByRole("button", { name: "JSON" }).click();
  expect(await page.getByLabel("The rules as JSON").inputValue()).toContain('"maxAmountUsd": 7');
  await page.getByRole("button", { name: "Save as a new version" }).click();
  await page.getByRole("heading", { name: "markup, version 2" }).waitFor();
});

it("an approver refuses with a reason, and only with one", async () => {
  const { page } = watched;
  await page.setViewportSize({ width: 390, height: 844 });
  await open({ path: "/approvals", shows: "Send tokens" });
  await page.getByRole("link", { name: "Send tokens" }).click();
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Say why").waitFor();
  await page.getByLabel("Reason").fill("Pay by card.");
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Reason: Pay by card.").waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

it("a failed call opens the playground at the arguments that were refused", async () => {
  const { page } = watched;
  await open({ path: "/usage", shows: "Failed calls" });
  await page.getByRole("button", { name: "Search flights" }).first().click();
  await page.getByRole("link", { name: "Open in the playground" }).click();
  await page.getByText("was refused").first().waitFor();
  expect(new URL(page.url()).searchParams.get("tool")).toBe("search_flights");
});

it("the audit log tells who made a key and from where, by its link, and as a file", async () => {
  const { page } = watched;
  await open({ path: "/audit", shows: "made the key" });
  await page.getByLabel("What").selectOption("key");
  await page.getByLabel("Search").fill("constructor");
  const readLink = () => ["action", "text"].map((name) => new URL(page.url()).searchParams.get(name));
  await expect.poll(readLink).toEqual(["key", "constructor"]);
  await page.getByRole("button", { name: TEMPLATE }).click();
  await page.getByText("127.0.0.1").first().waitFor();
  await page.reload();
  await page.getByRole("button", { name: TEMPLATE, expanded: true }).waitFor();
  const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const rows = readFileSync(await csv.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain("key.mint");
});

it("the operator creates a tenant, sees its key once, and changes its plan", async () => {
  const { page } = watched;
  await open({ path: "/tenants", shows: "Tenants of this deployment" });
  await page.getByRole("button", { name: "New tenant" }).click();
  await page.getByLabel("Name").fill("Made by hand");
  await page.getByRole("button", { name: "Create the tenant" }).click();
  const shown = await page.getByText(/^ak_/).first().innerText();
  expect((await service.send("/api/usage", { headers: { authorization: `Bearer ${shown}` } })).status).toBe(200);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: "Change Made by hand" }).click();
  await page.getByLabel("Plan").selectOption("pro");
  await page.getByRole("button", { name: "Save" }).click();
  // Not the choice in the form, which closes once the list is read again.
  const row = page.getByRole("listitem").filter({ hasText: "Made by hand" });
  await row.locator("span", { hasText: "Pro, 30 % off" }).first().waitFor();
  expect(await page.content()).not.toContain(shown);
});

it.each([
  ["reputation", "Reputation", "/reputation"],
  ["bridge to arc", "Bridge", "/playground?tool=bridge_to_arc"],
  ["LHR", "LHR to JFK", "/trips/orders/"],
  ["fund a trip", "Fund a trip", "/playground?tool=prefund_trip"],
  ["demo operator", "Demo Operator", "/audit?actor="],
])("Ctrl+K finds %s", async (words, name, path) => {
  const { page } = watched;
  await open({ path: "/more", shows: "API reference" });
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("A page, tool").fill(words);
  await page.getByRole("option", { name }).first().waitFor();
  await page.getByRole("option", { name }).first().click();
  await expect.poll(() => page.url()).toContain(`/dashboard${path}`);
});

it("J and K move through rows, and the back button returns to the list as it was", async () => {
  const { page } = watched;
  await open({ path: "/trips?list=budgets", shows: IMAGE });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Record" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Budgets in escrow", pressed: true }).waitFor();
});

it("a question mark lists the keys of the page, and stays a question mark in a field", async () => {
  const { page } = watched;
  await open({ path: "/runs", shows: "Book flight" });
  await page.keyboard.press("?");
  const list = page.getByRole("dialog");
  await list.getByText("the next row").waitFor();
  await page.evaluate(axe.source);
  expect(await page.evaluate(FIND_VIOLATIONS)).toEqual([]);
  await open({ path: "/playground?tool=search_hotels", shows: "Fill in the example" });
  await page.keyboard.press("?");
  await list.waitFor();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  // It is loaded now, and would be drawn at once.
  await page.getByLabel("Find a tool").press("?");
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  expect(await page.getByLabel("Find a tool").inputValue()).toBe("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

it("a member is removed only by whoever types the name", async () => {
  const { page } = watched;
  const member = { name: "Zoë Short", email: "zoe@example.com", roles: ["traveler"] };
  await send("/api/members", "POST", member);
  await open({ path: "/settings/members", shows: "zoe@example.com" });
  const row = page.getByRole("listitem").filter({ hasText: "zoe@example.com" });
  await row.getByRole("button", { name: "Remove" }).click();
  const remove = page.getByRole("button", { name: "Remove them" });
  for (const [typed, isPossible] of [
    ["", false],
    ["Zoë", false],
    ["zoe\u0308 short ", true],
  ] as const) {
    await page.getByLabel("Type “Zoë Short” to confirm").fill(typed);
    expect(await remove.isEnabled(), typed).toBe(isPossible);
  }
  await remove.click();
  await row.waitFor({ state: "detached" });
});

it("a budget that an agent funds appears by itself", async () => {
  const { page } = watched;
  await open({ path: "/trips?list=budgets", shows: IMAGE });
  requireResult(await service.call("prefund_trip", { budgetUsdc: "5", tripSummary: "Came by itself" }));
  await page.getByText("Came by itself").waitFor();
});

it("would run no markup even if a view took a text for it: the page's policy refuses inline scripts", async () => {
  const { page } = watched;
  await open({ path: "/more", shows: "API reference" });
  const refused = page.evaluate(
    "new Promise((told) => addEventListener('securitypolicyviolation', (event) => told(event.effectiveDirective)))",
  );
  await page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(IMAGE)})`);
  expect(await refused).toBe("script-src-attr");
  expect(await findMarkup()).toEqual({ elements: 1, hasRun: false });
});

it("a call that asks for a new sign-in offers it beside the form, which is filled again afterwards", async () => {
  const { page } = watched;
  await open({ path: "/playground?tool=send_tokens", shows: "Fill in the example" });
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByLabel("amount").fill("4");
  await page.getByRole("button", { name: /^Preview/ }).click();
  await page.getByText("It would be accepted.").waitFor();
  // As the service answers a quarter of an hour after the sign-in.
  const body = JSON.stringify({ ok: false, code: "sign_in_again", detail: "You signed in too long ago." });
  await page.route("**/api/agent/dispatch", (route) => route.fulfill({ status: 403, body }));
  await page.getByRole("button", { name: /^Call: / }).click();
  await page.getByRole("link", { name: "Sign in again" }).first().click();
  await page.waitForURL(/\/sign-in\?again=1/);
  await page.unroute("**/api/agent/dispatch");
  await page.goto(new URL(new URL(page.url()).searchParams.get("next") ?? "", page.url()).href);
  await page.getByText("Fill in the example").waitFor();
  expect(await page.getByLabel("amount").inputValue()).toBe("4");
  expect(await page.evaluate("sessionStorage.getItem('wayfare drafts')"), "kept for one way back").toBeNull();
});
