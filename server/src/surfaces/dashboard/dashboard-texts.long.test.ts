import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Texts of suppliers and people that are markup. dashboard-views.long.test.ts has those that callers give. */

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const IMAGE = '<img data-markup src="/none" onerror="markupRan=1">';
const SCRIPT = "<script data-markup>markupRan=1</script>";
const SVG = '"><svg data-markup onload="markupRan=1">';
const STYLE = "</style><b data-markup>bold</b>";
const TEMPLATE = "{{constructor.constructor('markupRan=1')()}}<i data-markup>";
const LINK = '<a data-markup href="javascript:markupRan=1">press</a>';

const FORMULAS = ['=HYPERLINK("https://example.com","press")', "+1+cmd|' /C calc'!A0", "@SUM(1,2)", "-2+3"];

let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
let orderId: string;

beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  await service.isFunded(service.tenantId);
  orderId = await fill();
  watched = await chromium.watch(service.appUrl);
  const { tenantId } = service;
  const link = await service.operator(({ signInLinks }) =>
    signInLinks.create(
      { tenantId, environment: "sandbox", personId: "user_markup" },
      { kind: "sign_in", provesAddress: true, lifeHours: 1 },
    ),
  );
  await watched.page.goto(`${service.appUrl}${link}`);
  await watched.page.getByRole("button", { name: "Sign in" }).click();
  await watched.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function send(path: string, method: "POST" | "PUT", body: object) {
  const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
  const answer = await service.send(path, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

/** A supplier's names stand in the stored booking; the rest comes in as it always does. */
async function fill(): Promise<string> {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = requireResult(
    await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate }),
  );
  const [offer] = Array.isArray(found.offers) ? found.offers : [];
  const booked = requireResult(await service.call("book_flight", { offerId: offer.id }));
  // The supplier's own words arrive once more with the tickets.
  const read = () => service.sql("select ticketing from booking where order_id = $1", [booked.orderId]);
  await vi.waitFor(async () => expect(await read()).toEqual([{ ticketing: "ticketed" }]), { timeout: 30_000 });
  await service.sql(
    `update booking set pnr = $2, travelers = jsonb_set(jsonb_set(travelers, '{0,givenName}', to_jsonb($3::text)), '{0,familyName}', to_jsonb($4::text)),
       result = result || jsonb_build_object('accommodationName', $5::text)
     where order_id = $1`,
    [booked.orderId, SVG, IMAGE, SCRIPT, STYLE],
  );
  await service.operator(async ({ persons, createTenant }) => {
    const person = { id: "user_markup", name: IMAGE, email: "markup@example.com", roles: ["admin"] as const };
    await persons.add({ tenantId: service.tenantId, environment: "sandbox" }, { ...person, roles: ["admin"] }, "test");
    const { tenant } = await createTenant({ name: SCRIPT, actor: "test" });
    const there = { ...person, id: "user_markup_there" };
    await persons.add({ tenantId: tenant.id, environment: "sandbox" }, { ...there, roles: ["admin"] }, "test");
  });
  await send("/api/policies/markup", "PUT", { document: { title: STYLE, payments: { maxAmountUsd: 1 } } });
  await send("/api/policy-enforcement", "PUT", { policyId: "markup" });
  const asked = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2" });
  const approvalId = String(/apr_[0-9A-Z]{26}/.exec(asked.text)?.[0]);
  await send(`/api/approvals/${approvalId}/decision`, "POST", { decision: "reject", reason: TEMPLATE });
  await send("/api/policy-enforcement", "PUT", { policyId: null });
  for (const name of [...FORMULAS, IMAGE]) await send("/api/keys", "POST", { name });
  return String(booked.orderId);
}

/** Elements that came from texts, and whether one of them has run. */
const findMarkup = async () =>
  await watched.page.evaluate(
    "({ elements: document.querySelectorAll('[data-markup]').length, hasRun: 'markupRan' in window })",
  );

it.each([
  ["the names of the person and of their tenants", "/", [IMAGE]],
  ["a supplier's name and reference in the list of orders", "/trips", [STYLE, SVG]],
  ["a supplier's name among the latest orders", "/", [STYLE]],
  ["the names of members", "/settings/members", [IMAGE]],
  ["the reason of a decision", "/approvals?state=rejected", [TEMPLATE]],
])("%s are text", async (_name, path, texts) => {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard${path}`);
  for (const text of texts) await page.getByText(text).first().waitFor();
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
});

/** The service reads an order again whenever the supplier has news of it: its flights and documents are changed on their way. */
async function openOrder(): Promise<void> {
  const { page } = watched;
  await page.route(`**/api/orders/${orderId}`, async (route) => {
    const response = await route.fetch();
    const order = z.looseObject({ slices: z.array(z.looseObject({})) }).parse(await response.json());
    const documents = [
      { type: IMAGE, number: TEMPLATE },
      { type: SCRIPT, uniqueIdentifier: FORMULAS[0] },
    ];
    const slices = order.slices.map((slice) => ({ ...slice, origin: LINK }));
    await route.fulfill({ response, json: { ...order, documents, slices } });
  });
  await page.goto(`${service.appUrl}/dashboard/trips/orders/${orderId}`);
}

it("the names and numbers of documents are text", async () => {
  const { page } = watched;
  await openOrder();
  const documents = page.locator("section").filter({ has: page.getByRole("heading", { name: "Documents" }) });
  for (const text of [IMAGE, TEMPLATE, SCRIPT, FORMULAS[0] ?? ""]) await documents.getByText(text).waitFor();
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
});

it("a list that is downloaded for a spreadsheet has no formula, and the same texts as JSON", async () => {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard/audit?action=key`);
  await page.getByText("made the key").first().waitFor();
  const download = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  const [csv, lines] = [await download("CSV"), await download("JSON lines")];
  expect([csv.name, lines.name]).toEqual(["audit.csv", "audit.jsonl"]);
  for (const formula of FORMULAS) {
    expect(csv.text).toContain(`'${formula.replaceAll('"', '""')}`);
    expect(csv.text).not.toMatch(new RegExp(`(?:^|,|\n)"?${RegExp.escape(formula.replaceAll('"', '""'))}`));
    expect(lines.text).toContain(JSON.stringify(formula).slice(1, -1));
  }
  expect(csv.text).toContain(IMAGE.replaceAll('"', '""'));
});

it("a supplier's words are text on the page of an order, and in the finder", async () => {
  const { page, foreignRequests } = watched;
  await openOrder();
  for (const text of [LINK, SVG, STYLE]) await page.getByText(text).first().waitFor();
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("LHR");
  expect(await findMarkup()).toEqual({ elements: 0, hasRun: false });
  expect(foreignRequests).toEqual([]);
});
