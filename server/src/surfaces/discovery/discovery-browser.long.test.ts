import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

const PHONE = { width: 375, height: 700 };
const DESK = { width: 1280, height: 900 };
const PAGES = ["/", "/docs", "/docs/connect", "/docs/prices", "/docs/config", "/docs/tools/search_flights"];

/** Evaluated in the page. */
const LOOK = `({
  overhang: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
})`;
const Look = z.object({ overhang: z.number(), ground: z.string(), ink: z.string() });

let service: TestService;
let chromium: TestBrowser;
beforeAll(async () => {
  service = await openSharedService();
  chromium = await startBrowser();
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function open(path: string, look: { width: number; height: number; scheme: "light" | "dark" }) {
  const watched = await chromium.watch(service.appUrl);
  await watched.page.setViewportSize(look);
  await watched.page.emulateMedia({ colorScheme: look.scheme });
  await watched.page.goto(`${service.appUrl}${path}`);
  return watched;
}

describe.each(PAGES)("%s", (path) => {
  test("is styled within its own policy, requests nothing elsewhere, and fits every width in both color schemes", async () => {
    for (const look of [
      { ...PHONE, scheme: "dark" },
      { ...DESK, scheme: "light" },
    ] as const) {
      const { page, errors, foreignRequests } = await open(path, look);
      const seen = Look.parse(await page.evaluate(LOOK));
      expect(seen.overhang).toBe(0);
      expect(brightness(seen.ground) > brightness(seen.ink)).toBe(look.scheme === "light");
      expect([errors, foreignRequests]).toEqual([[], []]);
      await page.close();
    }
  });
});

test("on a phone the page comes first and the list of pages is one tap away", async () => {
  const { page } = await open("/docs/connect", { ...PHONE, scheme: "light" });
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
  expect(await top("h1")).toBeLessThan(PHONE.height / 3);
  expect(await top("#pages")).toBeGreaterThan(PHONE.height);
  await page.getByRole("link", { name: "All pages" }).click();
  await expect.poll(() => top("#pages")).toBeLessThan(PHONE.height / 3);
  await page.close();
});

test("on a desktop the list of pages is beside the page, marks it, and leads to the others", async () => {
  const { page } = await open("/docs/connect", { ...DESK, scheme: "light" });
  const list = page.getByRole("navigation", { name: "Pages" });
  expect((await list.boundingBox())?.x).toBeLessThan((await page.locator("h1").boundingBox())?.x ?? 0);
  expect(await list.locator('[aria-current="page"]').textContent()).toBe("Connect");
  await list.getByRole("link", { name: "search_flights" }).click();
  await page.waitForURL("**/docs/tools/search_flights");
  expect(await page.locator("h1").textContent()).toBe("search_flights");
  await page.close();
});

test("a reader copies a block, searches pages by words, and goes on to the next one", async () => {
  const { page, errors } = await open("/docs/quickstart", { ...DESK, scheme: "light" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.appUrl });
  const block = page.locator(".copyable").first();
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await block.locator("pre").textContent());
  await page.getByRole("link", { name: /^Next: / }).click();
  await page.waitForURL("**/docs/connect");
  await page.getByRole("searchbox", { name: "Search all pages" }).fill("ancillaries seats");
  await page.locator("form.search a", { hasText: "list_flight_ancillaries" }).click();
  await page.waitForURL("**/docs/tools/list_flight_ancillaries");
  expect(errors).toEqual([]);
  await page.close();
});

test("a reader searches with the keyboard alone, and goes to a section from the list beside the text", async () => {
  const { page, errors } = await open("/docs/quickstart", { ...DESK, scheme: "light" });
  await page.keyboard.press("/");
  await page.keyboard.type("spending limits budgets");
  await page.locator("form.search a").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/limits");
  const contents = page.getByRole("navigation", { name: "On this page" });
  await contents.getByRole("link", { name: "Budgets" }).click();
  await page.waitForURL("**/docs/limits#budgets");
  expect(errors).toEqual([]);
  await page.close();
});

function brightness(color: string): number {
  return (color.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
}
