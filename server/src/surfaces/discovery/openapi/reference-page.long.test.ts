import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../../test/support/browser.ts";
import { sendRaw } from "../../../../test/support/raw-http.ts";
import { startTestService, type TestService } from "../../../../test/support/service.ts";
import { catalog } from "../../../contributions.ts";

const MOST_PAGE_BYTES = 100_000;

let service: TestService;
let browser: TestBrowser;

beforeAll(async () => {
  // The demo tenant's own user, which examples name.
  [service, browser] = await Promise.all([startTestService(), startBrowser()]);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

describe("GET /reference", () => {
  it("is a small page with scripts of this host only", async () => {
    const { status, headers, bytes } = await sendRaw(`${service.appUrl}/reference`);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(bytes.length).toBeLessThan(MOST_PAGE_BYTES);
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    const scripts = [...bytes.toString().matchAll(/<script\b([^>]*)>([^<]*)/g)];
    expect(scripts).toHaveLength(2);
    for (const [, attributes, inline] of scripts) {
      expect(attributes).toMatch(/ src="\/reference\/[^"]+"/);
      expect(inline).toBe("");
    }
  });

  it("names its large script by a hash, and only that address is cached for long", async () => {
    const page = (await sendRaw(`${service.appUrl}/reference`)).bytes.toString();
    const path = /src="(\/reference\/scalar\.js\?v=[0-9a-f]{16})"/.exec(page)?.[1] ?? "";
    const kept = await sendRaw(`${service.appUrl}${path}`, { headers: { "accept-encoding": "br" } });
    expect(kept.status).toBe(200);
    expect(kept.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(kept.headers["content-encoding"]).toBe("br");
    expect(kept.headers["cache-control"]).toBe("max-age=31536000, immutable");
    const other = await sendRaw(`${service.appUrl}/reference/scalar.js?v=0`, { method: "HEAD" });
    expect(other.headers["cache-control"]).toBe("max-age=3600");
  });
});

describe("the API reference in a browser", () => {
  let watched: WatchedPage;

  beforeAll(async () => {
    watched = await browser.watch(service.appUrl);
    await watched.page.goto(`${service.appUrl}/reference`);
  });

  it("asks for a key at the top", async () => {
    const field = watched.page.getByText("Bearer Token").first();
    await field.waitFor();
    expect(await field.isVisible()).toBe(true);
  });

  it("shows a tool with its arguments", async () => {
    const { page } = watched;
    const tool = catalog.find("search_flights")?.tool;
    await page
      .getByRole("button", { name: "flights", exact: true })
      .or(page.getByText("flights", { exact: true }))
      .first()
      .click();
    await page
      .getByRole("link", { name: tool?.title ?? "" })
      .first()
      .click();
    await page
      .getByText(tool?.summary ?? "")
      .first()
      .waitFor();
    await page.getByText("departureDate").first().waitFor();
    await page
      .getByRole("heading", { name: tool?.title ?? "" })
      .first()
      .waitFor();
  });

  it("requests nothing elsewhere, and logs no errors", () => {
    expect(watched.foreignRequests).toEqual([]);
    expect(watched.errors).toEqual([]);
  });

  it("sends a call to the address by which it was reached", async () => {
    const { page } = watched;
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: /^Send/ }).first().click();
    const answer = await answered;
    expect(answer.url().split("#")[0]).toBe(`${service.appUrl}/api/agent/dispatch`);
    // It was sent without a key.
    expect(answer.status()).toBe(401);
    expect(watched.foreignRequests).toEqual([]);
  });

  it("sends a first call that works unchanged once the key is filled in", async () => {
    const { page } = await browser.watch(service.appUrl);
    await page.goto(`${service.appUrl}/reference`);
    await page.getByPlaceholder("Token").first().fill(service.apiKey);
    await page.goto(`${service.appUrl}/reference#tag/flights/POST/api/agent/dispatch#search_flights`);
    const tool = catalog.find("search_flights")?.tool;
    await page.getByRole("button", { name: /Test Request.*search_flights/ }).click();
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: /^Send/ }).first().click();
    const answer = await answered;
    expect(answer.request().postDataJSON()).toMatchObject({ tool: tool?.name });
    expect(answer.status()).toBe(200);
  });
});
