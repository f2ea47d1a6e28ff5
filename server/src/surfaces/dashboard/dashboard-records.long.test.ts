import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { signInViewer } from "../../../test/support/viewer.ts";

/** Records as people see them: maps, sentences, bars and names instead of codes, documents, numbers and ids. */

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
let orderId: string;

beforeAll(async () => {
  [service, chromium] = await Promise.all([openSharedService(), startBrowser()]);
  await service.isFunded(service.tenantId);
  orderId = await bookFlight();
  watched = await chromium.watch(service.appUrl);
  await signInViewer(service, watched);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function bookFlight(): Promise<string> {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const asked = { origin: "LHR", destination: "JFK", departureDate };
  const { offers } = requireResult(await service.call("search_flights", asked));
  const [offer] = Array.isArray(offers) ? offers : [];
  return String(requireResult(await service.call("book_flight", { offerId: offer.id })).orderId);
}

async function send(path: string, method: "POST" | "PUT", body: object) {
  const headers = { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" };
  const answer = await service.send(path, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
}

async function open({ path, shows }: { path: string; shows: string }): Promise<void> {
  await watched.page.goto(`${service.appUrl}/dashboard${path}`);
  await watched.page.getByText(shows).first().waitFor();
}

it("the map of an order has its flights and the land below them, and says which airport it cannot place", async () => {
  const { page, errors, foreignRequests } = watched;
  await open({ path: `/trips/orders/${orderId}`, shows: "Reference" });
  await page.getByRole("img", { name: "Map of the route: London (LHR) to New York (JFK)" }).waitFor();
  await page.getByText(/London \(LHR\) to New York \(JFK\), 5,5\d\d km/).waitFor();
  const drawn = "[...document.querySelectorAll('.trip-map path')].map((path) => path.getAttribute('d').length > 200)";
  expect(await page.evaluate(drawn)).toEqual([true, true]);
  expect(await page.locator(".trip-map .code").allTextContents()).toEqual(["LHR", "JFK"]);
  const height = "document.querySelector('.trip-map').parentElement.offsetHeight";
  const before = await page.evaluate(height);
  // Another airport, which nobody knows, before the first.
  await page.route("**/api/orders/*", async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const known = /("segments":\[\{[^}]*"origin":")LHR/;
    await route.fulfill({
      response,
      body: text.replace(known, "$1QQQ").replace(/"iataCode":"LHR"/, '"iataCode":"LGW"'),
    });
  });
  await page.reload();
  await page.getByRole("heading", { name: "Flights" }).waitFor();
  expect(await page.getByRole("img", { name: "Map of the route" }).count(), "nothing can be drawn").toBe(0);
  await page.unroute("**/api/orders/*");
  await page.reload();
  await page.getByRole("img", { name: "Map of the route" }).waitFor();
  expect(await page.evaluate(height)).toBe(before);
  expect([errors, foreignRequests]).toEqual([[], []]);
});

it("a stay has a mark on the map, and one whose position was not kept is listed without", async () => {
  const { page } = watched;
  const day = (ahead: number) => Temporal.Now.plainDateISO("UTC").add({ days: ahead }).toString();
  const asked = { location: "Lisbon", checkInDate: day(50), checkOutDate: day(52) };
  const { accommodations } = requireResult(await service.call("search_hotels", asked));
  const Hotels = z.array(z.object({ name: z.string(), rates: z.array(z.object({ id: z.string() })) }));
  const [hotel] = Hotels.parse(accommodations);
  const { id } = requireResult(await service.call("quote_stay", { rateId: hotel?.rates[0]?.id }));
  const guest = { email: "tess@example.com", phoneNumber: "+442080160508" };
  const guests = [{ givenName: "Tess", familyName: "Traveler" }];
  const { orderId: stayId } = requireResult(await service.call("book_stay", { quoteId: id, ...guest, guests }));
  const name = String(hotel?.name);
  await open({ path: `/trips/orders/${String(stayId)}`, shows: "Check-in" });
  await page.getByRole("img", { name: `Map of the stay: ${name}` }).waitFor();
  expect(await page.locator(".trip-map rect.stay").count()).toBe(1);
  await service.sql("update booking set stay_position = null where order_id = $1", [stayId]);
  await page.reload();
  await page.getByText("Check-in").waitFor();
  expect(await page.getByRole("heading", { name: "Map" }).count()).toBe(0);
});

it("a policy reads as sentences, each with what happens if it is broken", async () => {
  const { page } = watched;
  const document = {
    flight: { maxPrice: { default: 2500, severity: "require_approval" }, itinerary: { severity: "warn", maxStops: 1 } },
    hotel: { maxNightly: { severity: "deny", byCity: { NYC: 450.5 }, default: 300 } },
    destinations: { blockedCountries: ["FR", "DE"] },
    rules: [
      {
        id: "late",
        severity: "deny",
        text: "Book earlier.",
        when: { kind: "flight", daysAheadUnder: 3, cabins: ["premium_economy"] },
      },
    ],
    approval: { role: "finance", expiresHours: 8, toleranceUsd: 20 },
  };
  await send("/api/policies/sentences", "PUT", { document });
  await open({ path: "/policy?policy=sentences", shows: "Finance or an administrator" });
  for (const sentence of [
    "Flights over $2,500 need approval.",
    "Flights with more than 1 stop get a warning.",
    "Rooms in NYC over $450.50 a night are refused.",
    "Rooms elsewhere over $300 a night are refused.",
    "Trips to France or Germany are refused.",
    `Flights in premium economy, booked less than 3 days ahead are refused. late: “Book earlier.”`,
    "Finance or an administrator decides within 8 hours.",
    "The price may rise by up to $20 after the approval.",
  ]) {
    expect(await page.locator(".said-rules li", { hasText: sentence }).count(), sentence).toBe(1);
  }
});

it("a key's row counts its calls of the day, and a refused preview is among the failed calls", async () => {
  const { page } = watched;
  await service.call("preview_call", { tool: "search_stays", args: { location: 7 } });
  await open({ path: "/settings/keys", shows: "calls in 24 hours" });
  await open({ path: "/usage", shows: "Failed calls" });
  await page
    .getByRole("button", { name: /^Preview: / })
    .first()
    .click();
  await page.getByText("in a preview").waitFor();
});

it("an approver reads names, and one unit of money", async () => {
  const { page } = watched;
  await send("/api/policies/careful", "PUT", { document: { payments: { maxAmountUsd: 1 } } });
  await send("/api/policy-enforcement", "PUT", { policyId: "careful" });
  const asked = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2" });
  await send("/api/policy-enforcement", "PUT", { policyId: null });
  expect(asked.body.code).toBe("approval_required");
  await open({ path: `/approvals?id=${String(asked.body.approvalId)}`, shows: "What your answer does" });
  const request = page.getByRole("article");
  const text = await request.innerText();
  expect(text).not.toMatch(/svc:|user_|key_/);
  expect(text).toContain("2.00 USDC");
  await page.getByRole("button", { name: "Approve 2.00 USDC" }).click();
  await page.getByText("Decided by Vera").waitFor();
});

it("lists whose requests ran out as expired, and says so where there is none", async () => {
  const { page } = watched;
  await open({ path: "/approvals?state=expired", shows: "No request has expired." });
  await service.sql(
    "update approval set state = 'pending', expires_at = now() - interval '1 hour' where tenant_id = $1",
    [service.tenantId],
  );
  await page.reload();
  await page.getByText("Expired: nobody decided in time").waitFor();
  await page.getByRole("link", { name: "Send tokens" }).waitFor();
});

/** Each pause that a workflow can come to, and the questions that the runner asks about a step. */
async function listWaits(): Promise<readonly string[]> {
  const { workflows } = requireResult(await service.call("describe_workflows", {}));
  const Steps = z.array(z.object({ steps: z.array(z.object({ step: z.string(), resolvedBy: z.string().nullish() })) }));
  const steps = Steps.parse(workflows).flatMap(({ steps }) => steps.filter(({ resolvedBy }) => resolvedBy != null));
  const asked = ["approval", "key", "changed"].map((question) => `book_flight:${question}:1`);
  return [...new Set(steps.map(({ step }) => step)), "traveler_profile:2", ...asked];
}

it("a run says to people what it waits for, at every pause of every workflow, and so does the record of its trip", async () => {
  const { page } = watched;
  const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "9", tripSummary: "In words" }));
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate: "2031-05-01" };
  const { runId } = requireResult(await service.call("run_workflow", { workflowId: "service.book_flight", input }));
  const path = `/runs/${String(runId)}`;
  await open({ path, shows: "The guest has not claimed the trip yet." });
  const waits = await listWaits();
  expect(waits.length).toBeGreaterThan(10);
  for (const step of waits) {
    await page.route("**/api/workflows/runs/*", async (route) => {
      const response = await route.fetch();
      const json = { ...Object(await response.json()), nextStepId: step, pauseReason: "Words for an agent" };
      await route.fulfill({ response, json });
    });
    await page.reload();
    const sentence = page.locator(".sentence");
    await sentence.waitFor();
    expect(await sentence.innerText(), step).toMatch(/^It waits at “[A-Z][\w ():]+”\. [A-Z“]/);
    expect(await sentence.innerText(), step).not.toMatch(/Words for an agent|_|:\d/);
    await page.unroute("**/api/workflows/runs/*");
  }
  await open({ path: `/trips/budgets/${String(tripId)}`, shows: "The run “Book flight” began." });
  await page.getByText("Waiting: The guest has not claimed the trip yet.").waitFor();
  // People stand there by their names.
  await page.route("**/api/trips/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replace(/"userId":"[^"]+"/, '"userId":"user_viewer"'),
    });
  });
  await page.reload();
  await page.locator(".record").getByText("by Vera").first().waitFor();
  await page.unroute("**/api/trips/*");
  const said = page.locator(".record > li > div");
  const details = page.locator(".record details");
  const [all, folded] = await Promise.all([said.allInnerTexts(), details.allInnerTexts()]);
  expect(all.join(" ").replaceAll(folded.join(" "), "")).not.toMatch(/\w_\w|svc:/);
});
