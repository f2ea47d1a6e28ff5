import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, day, type TestPerson } from "../../../test/support/approval-desk.ts";
import { startBrowser } from "../../../test/support/browser.ts";
import { focused, openLink, until } from "../../../test/support/claim-page.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** The approver's view of a case, and the page that decides it. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe("a stay that waits for an approval", () => {
  const Hotel = z.object({
    id: z.string(),
    rates: z.array(z.object({ id: z.string(), totalAmount: z.string(), totalUsdc: z.string().optional() })).min(1),
  });

  it("is shown with other hotels of its search that need no approval, cheapest first, each once", async () => {
    const stay = { location: "London", checkInDate: day(70), checkOutDate: day(72) };
    const { accommodations } = requireResult(await service.call("search_hotels", stay));
    const priced = z
      .array(Hotel)
      .min(3)
      .parse(accommodations)
      .flatMap(({ id, rates }) =>
        rates.map((rate) => ({ hotel: id, rateId: rate.id, price: Number(rate.totalUsdc ?? rate.totalAmount) })),
      )
      .toSorted((one, other) => one.price - other.price);
    const dearest = priced.at(-1);
    const guest = { email: "ada@example.com", guests: [{ givenName: "Ada", familyName: "Lovelace" }] };
    const limit = Math.ceil((priced[Math.floor(priced.length / 2)]?.price ?? 0) / 2);
    await desk.enforce({}, { hotel: { maxNightly: { default: limit } } });
    const { id: quoteId } = requireResult(await service.call("quote_stay", { rateId: dearest?.rateId }));
    const refused = await service.call("book_stay", { quoteId, ...guest });
    expect(refused.body.code).toBe("approval_required");
    const { evidence } = (await desk.ask(`/api/approvals/${String(refused.body.approvalId)}`)).body;
    const { alternatives } = z
      .object({
        alternatives: z.array(
          z.object({ kind: z.literal("stay"), offerId: z.string(), name: z.string(), priceUsd: z.string() }),
        ),
      })
      .parse(evidence);
    const prices = alternatives.map(({ priceUsd }) => Number(priceUsd));
    expect(prices.length).toBeGreaterThan(1);
    expect(prices).toEqual(prices.toSorted((one, other) => one - other));
    expect(Math.max(...prices)).toBeLessThanOrEqual(limit * 2);
    const hotelByRate = new Map(priced.map(({ rateId, hotel }) => [rateId, hotel]));
    expect(new Set(alternatives.map(({ offerId }) => hotelByRate.get(offerId))).size).toBe(alternatives.length);
    // Control: without a cheap enough stay nothing is proposed.
    await desk.enforce({}, { hotel: { maxNightly: { default: 1 } } });
    const { id: other } = requireResult(await service.call("quote_stay", { rateId: priced.at(-2)?.rateId }));
    const none = (await service.call("book_stay", { quoteId: other, ...guest })).body;
    expect((await desk.ask(`/api/approvals/${String(none.approvalId)}`)).body.evidence).toMatchObject({
      alternatives: [],
    });
    await desk.enforce({});
  });
});

describe("the page behind a person's link", () => {
  const Offer = z.object({ id: z.string(), totalUsdc: z.string().optional(), totalAmount: z.string() });
  const shownPrice = ({ totalUsdc, totalAmount }: z.output<typeof Offer>) => Number(totalUsdc ?? totalAmount);

  /** The most expensive offer of a search: it needs approval, as only the cheapest is within the policy. */
  async function dearest(departureDate: string) {
    const { offers } = requireResult(
      await service.call("search_flights", { origin: "LON", destination: "NYC", departureDate }),
    );
    const sorted = z
      .array(Offer)
      .min(2)
      .parse(offers)
      .toSorted((one, other) => shownPrice(one) - shownPrice(other));
    const limit = Math.ceil(sorted.map(shownPrice)[0] ?? 0);
    await desk.enforce({}, { flight: { maxPrice: { default: limit } } });
    const offerId = sorted.at(-1)?.id ?? "";
    const book = () => service.call("book_flight", { offerId });
    const { approvalId } = (await book()).body;
    return { book, approvalId, link: await desk.findLink(approvalId, approver), limit };
  }

  it.each([
    ["a phone in the dark", { width: 390, height: 800, scheme: "dark" }, "reject"],
    ["a desk in the light", { width: 1280, height: 900, scheme: "light" }, "approve"],
  ] as const)("on %s shows the case, and works for one decision", async (_name, look, decision) => {
    await using chromium = await startBrowser();
    const date = day(look.width > 400 ? 90 : 91);
    const { book, approvalId, link, limit } = await dearest(date);
    const { page, errors, foreignRequests, requested } = await openLink(chromium, link, look);
    await until(page, "Your approval is needed");
    const shown = await page.locator("main").innerText();
    const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(date));
    for (const text of [when, "Tess Traveler", "An agent", "Why your decision is needed", "Within the policy"]) {
      expect(shown).toContain(text);
    }
    // Route, flight numbers, day, departure and arrival, cabin, stops.
    expect(shown).toMatch(
      /\w+ \((LHR|LGW|LCY|LTN|SEN|STN)\) to [\w ]+ \((JFK|EWR|LGA|HPN|ISP|SWF)\), [A-Z0-9]{2}\d+.*\n.*\d{2}:\d{2}–\d{2}:\d{2}.*, \d+ h( \d+ min)?, economy, (non-stop|\d stop)/,
    );
    expect(shown).toMatch(/Can be decided until\s+\d+ \w+ \d{4} at \d{2}:\d{2} (UTC|GMT)/);
    const cheaper = await page.locator("#alternatives li").allInnerTexts();
    expect(cheaper.length).toBeGreaterThan(0);
    for (const text of cheaper) expect(Number.parseFloat(text)).toBeLessThanOrEqual(limit);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Say why").waitFor();
    expect(await focused(page)).toBe("reason");
    if (decision === "reject") {
      await page.getByLabel("Reason").fill("Take the cheaper one.");
      await page.getByRole("button", { name: "Reject" }).click();
      await until(page, "Rejected");
      await page.getByText(/^By Grace, .*“Take the cheaper one.”$/).waitFor();
      expect((await book()).body).toMatchObject({ code: "approval_rejected", approvalId });
    } else {
      await page.getByRole("button", { name: "Approve" }).click();
      await until(page, "Approved");
      expect((await book()).status).toBe(200);
      await page.reload();
      await until(page, "Approved and done");
    }
    // The link is good for one decision.
    const [, , , personId = ""] = new URL(link).pathname.split("/");
    const linkSecret = new URL(link).hash.slice(1);
    const again = await service.send(`/api/approval-links/${String(approvalId)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ personId, linkSecret, decision: "approve" }),
    });
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
    expect(requested.join()).not.toContain(linkSecret);
    expect([errors, foreignRequests]).toEqual([[], []]);
    const wrong = await openLink(chromium, `${link.slice(0, -3)}abc`, look);
    await until(wrong.page, "This link does not work");
  });

  it("shows the part of a flight's refund that is withheld, and that the airline decides the form of the rest", async () => {
    const Picked = z.object({
      cheapestRefundable: z.object({ id: z.string(), refundPenaltyAmount: z.string() }),
    });
    await desk.enforce({});
    const query = { origin: "LHR", destination: "JFK", departureDate: day(140), returnDate: day(147) };
    const { picks } = requireResult(await service.call("search_flights", query));
    const { id: offerId, refundPenaltyAmount } = Picked.parse(picks).cheapestRefundable;
    const { approvalId } = (await service.call("book_flight", { offerId })).body;
    const { evidence, amount } = (await desk.ask(`/api/approvals/${String(approvalId)}`)).body;
    expect(evidence).toMatchObject({
      bought: { refundable: true, refundPenaltyUsd: refundPenaltyAmount },
      payments: [{ amount, to: "collection" }],
    });
    await using chromium = await startBrowser();
    const { page } = await openLink(chromium, await desk.findLink(approvalId, approver), {
      width: 390,
      height: 800,
      scheme: "light",
    });
    await until(page, "Your approval is needed");
    const shown = await page.locator("#facts").innerText();
    expect(shown).toContain(`refundable less a fee of ${refundPenaltyAmount} USD, in money or airline credit`);
    expect(shown).toMatch(/Asked for by\s+An agent with the key “sandbox”/);
  });
});
