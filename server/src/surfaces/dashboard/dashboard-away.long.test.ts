import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { startTestPostgres, type TestPostgres } from "../../../test/support/test-postgres.ts";

/** PostgreSQL is stopped under a page that somebody is working in, and comes back. */

// A browser is unpacked, a database is made and migrated, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let postgres: TestPostgres;
let service: TestService;
let chromium: TestBrowser;
let page: Page;

beforeAll(async () => {
  postgres = await startTestPostgres({ fsync: false, inMemory: true });
  [service, chromium] = await Promise.all([startTestService({ DATABASE_URL: postgres.adminUrl }), startBrowser()]);
  ({ page } = await chromium.watch(service.appUrl));
  await page.goto(service.app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0] ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await postgres?.stop();
});

const open = (path: string) => page.goto(`${service.appUrl}/dashboard${path}`);
const AWAY = "The service cannot reach its database. Send the call again";
const create = () => page.getByRole("button", { name: "Create the key" }).click();

it("a form says that the service cannot do it now and what to do, and is sent again as it is", async () => {
  await open("/settings/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("while it was away");
  await page.getByLabel("Per day").fill("12.50");
  await postgres.down();
  await create();
  await page.getByRole("alert").getByText(AWAY).waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("while it was away");
  await postgres.up();
  // The service reconnects by itself.
  await expect.poll(async () => (await service.send("/readyz", {})).status, { timeout: 60_000 }).toBe(200);
  await create();
  await page.getByText("it is not shown again").first().waitFor();
  const key = await page.locator(".sheet code").first().innerText();
  expect((await service.call("read_account", {}, { key })).status).toBe(200);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("listitem").filter({ hasText: "while it was away" }).getByText("active").waitFor();
});

it("a view says so and goes on when it is asked again; a page that is opened meanwhile signs nobody out", async () => {
  await open("/trips");
  await page.getByRole("heading", { name: "Trips", level: 1 }).waitFor();
  await postgres.down();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("alert").getByText(AWAY).waitFor();
  const answer = await page.request.get(`${service.appUrl}/dashboard/runs?state=failed`, { maxRedirects: 0 });
  expect(answer.status()).toBe(503);
  expect(await answer.text()).toContain('<a class="button" href="/dashboard/runs?state=failed">Try again</a>');
  const signIn = await page.request.get(`${service.appUrl}/sign-in?next=/dashboard/runs`);
  expect([signIn.status(), await signIn.text()]).toEqual([503, expect.stringContaining("Try again in a moment")]);
  await postgres.up();
  await expect.poll(async () => (await service.send("/readyz", {})).status, { timeout: 60_000 }).toBe(200);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("main .empty").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});
