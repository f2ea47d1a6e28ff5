import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  watched = await chromium.watch(service.appUrl);
  // Questions before something is lost are answered with yes.
  watched.page.on("dialog", (dialog) => void dialog.accept());
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

it("a person signs in by a printed link, makes a key, calls with it, sees a failed call, and revokes the key", async () => {
  const { page, errors, foreignRequests } = watched;
  const link = service.app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0] ?? "";
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.getByText("Nothing needs your attention.").waitFor();

  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("first agent");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("it is not shown again").first().waitFor();
  const key = await page.locator(".sheet code").first().innerText();
  expect(key).toMatch(/^ak_/);
  await page.getByText("Waits for the first call").waitFor();
  const called = await service.call("read_account", {}, { key });
  expect(called.status).toBe(200);
  await page.getByText("The first call has arrived").waitFor();
  await service.call("search_flights", { origin: "nowhere" }, { key });
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText("first agent").waitFor();
  await page.getByRole("listitem").filter({ hasText: "first agent" }).getByText("used just now").waitFor();
  expect(await page.content()).not.toContain(key);

  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("button", { name: "Search flights" }).first().click();
  await page.getByText("invalid_input").first().waitFor();
  expect(page.url()).toContain("call=fail_");
  await page.reload();
  await page.getByRole("definition").first().waitFor();

  await page.getByRole("link", { name: "API keys" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "first agent" });
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await row.getByText("revoked").waitFor();
  expect((await service.call("read_account", {}, { key })).status).toBe(401);
  expect(errors).toEqual([]);
  expect(foreignRequests).toEqual([]);
});

it("a key gets no more than was ticked, and is rotated with the overlap that was chosen", async () => {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard/settings/keys`);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("narrow agent");
  await page.getByLabel("Everything that an agent may do").uncheck();
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("Choose at least one.").waitFor();
  await page.getByText("Account: Read the account").click();
  await page.getByLabel("account:read").check();
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "narrow agent" });
  await row.getByText("account:read", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Rotate" }).click();
  await page.getByLabel("The old key works for").selectOption("1 more hour");
  await page.getByRole("button", { name: "Create the new key" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await row.nth(1).waitFor();
  const rows = await service.sql(
    "select extract(epoch from expires_at - now()) / 60 as minutes from api_key where name = 'narrow agent' and tenant_id = $1 order by created_at",
    [service.tenantId],
  );
  expect(Number(rows[0]?.minutes)).toBeGreaterThan(50);
  expect(Number(rows[0]?.minutes)).toBeLessThan(61);
});

it("who is not signed in is led to the sign-in, and back", async () => {
  const { page } = await chromium.watch(service.appUrl);
  await page.goto(`${service.appUrl}/dashboard/usage?by=key&days=7`);
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  expect(new URL(page.url()).searchParams.get("next")).toBe("/dashboard/usage?by=key&days=7");
});
