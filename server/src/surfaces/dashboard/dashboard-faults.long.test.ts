import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** The dashboard while something is wrong: with the service, the network, the list, or who acts for whom. dashboard-away.long.test.ts stops the database. */

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SANDBOX = "sandbox";
const EMAIL = "both@example.com";

let service: TestService;
let chromium: TestBrowser;
let page: Page;
let otherTenantId: string;

beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  await service.isFunded(service.tenantId);
  otherTenantId = await service.operator(
    async ({ createTenant }) => (await createTenant({ name: "Other", actor: "test" })).tenant.id,
  );
  await service.operator(async ({ persons }) => {
    const person = { id: "user_both", name: "Both", email: EMAIL };
    await persons.add({ tenantId: service.tenantId, environment: SANDBOX }, { ...person, roles: ["admin"] }, "test");
    const other = { ...person, id: "user_both_there", roles: ["auditor"] as const };
    await persons.add({ tenantId: otherTenantId, environment: SANDBOX }, { ...other, roles: ["auditor"] }, "test");
  });
  page = await signIn();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function signIn(): Promise<Page> {
  const member = { tenantId: service.tenantId, environment: SANDBOX, personId: "user_both" } as const;
  const link = await service.operator(({ signInLinks }) =>
    signInLinks.create(member, { kind: "sign_in", provesAddress: true, lifeHours: 1 }),
  );
  const made = await (await chromium.browser.newContext()).newPage();
  made.on("dialog", (dialog) => void dialog.accept());
  await made.goto(`${service.appUrl}${link}`);
  await made.getByRole("button", { name: "Sign in" }).click();
  await made.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  return made;
}

const open = (path: string, on = page) => on.goto(`${service.appUrl}/dashboard${path}`);
const listKeys = async (tenantId: string) =>
  await service.sql("select name from api_key where tenant_id = $1 and name like 'tab %' order by name", [tenantId]);

async function mintKey(on: Page, name: string): Promise<void> {
  await open("/settings/keys", on);
  await on.getByRole("button", { name: "New key" }).click();
  await on.getByLabel("Name").fill(name);
  await on.getByRole("button", { name: "Create the key" }).click();
}

it("two tabs of one person show two tenants, and each acts with its own roles", async () => {
  const second = await page.context().newPage();
  await second.goto(`${service.appUrl}/dashboard`);
  await second.getByLabel("Tenant").selectOption({ label: "Other" });
  await second.getByText("auditor", { exact: true }).waitFor();
  await mintKey(page, "tab one");
  await page.getByText("it is not shown again").first().waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  expect(await listKeys(service.tenantId)).toEqual([{ name: "tab one" }]);
  // An auditor may not do it, wherever the other tab has been in the meantime.
  const [asked] = await Promise.all([second.waitForRequest(/\/api\//), open("/settings/keys", second)]);
  expect(asked.headers()["x-tenant"]).toBe(`${otherTenantId}/${SANDBOX}`);
  await second.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  const refused = await second.evaluate(`(async () => {
    const { csrf } = document.getElementById("root").dataset;
    const headers = { "content-type": "application/json", "x-csrf-token": csrf, "x-tenant": "${otherTenantId}/${SANDBOX}" };
    const answer = await fetch("/api/keys", { method: "POST", headers, body: JSON.stringify({ name: "tab two" }) });
    return answer.status;
  })()`);
  expect(refused).toBe(403);
  expect(await listKeys(otherTenantId)).toEqual([]);
  await second.close();
});

it("while the service says that its database is away a view keeps its place, and goes on when it is back", async () => {
  const problem = { ok: false, code: "unavailable", detail: "Try again in a moment.", retryable: true, traceId: "0" };
  await open("/trips");
  await page.getByRole("heading", { name: "Trips", level: 1 }).waitFor();
  await page.route("**/api/workflows/runs*", (route) => route.fulfill({ status: 503, json: problem }));
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("alert").getByText(problem.detail).waitFor();
  expect(new URL(page.url()).pathname).toBe("/dashboard/runs");
  await page.unroute("**/api/workflows/runs*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("main .empty").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

it("on a slow network nothing jumps, and a button that is pressed twice does its work once", async () => {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  const slow = { offline: false, latency: 400, downloadThroughput: 60_000, uploadThroughput: 30_000 };
  await client.send("Network.emulateNetworkConditions", slow);
  try {
    await page.addInitScript(`
      window.shifted = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
      }).observe({ type: "layout-shift", buffered: true });
    `);
    await open("/");
    await page.getByText("Nothing needs your attention.").waitFor();
    await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
    // A good page has less (Cumulative Layout Shift).
    expect(Number(await page.evaluate("window.shifted"))).toBeLessThan(0.1);
    await open("/settings/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("tab slow");
    await page.evaluate(`{
      const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Create the key");
      button.click();
      button.click();
    }`);
    await page.getByText("it is not shown again").first().waitFor();
    await page.getByRole("button", { name: "I have stored it" }).click();
    const active = await service.sql(
      "select 1 from api_key where tenant_id = $1 and name = 'tab slow' and revoked_at is null",
      [service.tenantId],
    );
    expect(active).toHaveLength(1);
  } finally {
    await client.send("Network.emulateNetworkConditions", {
      ...slow,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }
});

const PAGE = 50;

it("a list that grows while it is paged shows every row once", async () => {
  const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "5", tripSummary: "Trip" }));
  await service.sql(
    `insert into trip select made.* from (select model from trip as model where trip_id = $1) as found, generate_series(1, $2::int) i,
       lateral jsonb_populate_record(found.model, jsonb_build_object('trip_id', '0x' || lpad(to_hex(i), 64, '0'),
         'mail', 'none', 'created_at', now() - interval '1 hour' * i)) as made`,
    [tripId, PAGE + 20],
  );
  await open("/trips?list=budgets");
  const rows = page.locator("main a[href*='/trips/budgets/']");
  await expect.poll(() => rows.count()).toBe(PAGE);
  requireResult(await service.call("prefund_trip", { budgetUsdc: "6", tripSummary: "Came while it was paged" }));
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(PAGE + 21);
  await page.getByText("Came while it was paged").waitFor();
  const shown: unknown = await rows.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const paths = Array.isArray(shown) ? shown : [];
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toHaveLength(PAGE + 22);
});

const setRoles = (roles: readonly ["admin" | "auditor"]) =>
  service.operator(({ persons }) =>
    persons.setRoles({ tenantId: service.tenantId, environment: SANDBOX }, "user_both", roles, "test"),
  );
const listActive = (name: string) =>
  service.sql("select id from api_key where tenant_id = $1 and name = $2 and revoked_at is null", [
    service.tenantId,
    name,
  ]);

it("a role that is taken away while a form is open refuses it and keeps what was filled in", async () => {
  await open("/settings/keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("tab demoted");
  await page.getByLabel("Per day").fill("12.50");
  await setRoles(["auditor"]);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("alert").getByText("Your roles do not include this.").waitFor();
  expect(await listActive("tab demoted")).toEqual([]);
  await setRoles(["admin"]);
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("it is not shown again").first().waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText("At most 12.50 USDC a day").waitFor();
});

/** The next answer to a new key reaches the browser not at all, or with a part of its text. */
const LOSE: Readonly<Record<string, () => Promise<unknown>>> = {
  "is lost": () =>
    page.route("**/api/keys", (route) => route.fetch().then(() => route.abort("connectionreset")), { times: 1 }),
  "breaks off": () =>
    page.evaluate(`{
      const whole = window.fetch;
      window.fetch = async (path, init) => {
        const answer = await whole(path, init);
        if (init.method !== "POST") return answer;
        window.fetch = whole;
        const start = (stream) => {
          stream.enqueue(new TextEncoder().encode('{"apiKey":"ak_'));
          stream.error(new TypeError("network error"));
        };
        return new Response(new ReadableStream({ start }), { status: 200 });
      };
    }`),
};

it.each(Object.keys(LOSE))(
  "an answer to a new key that %s is asked for again in the same form, and leaves one key",
  async (how) => {
    const name = `tab ${how}`;
    await open("/settings/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill(name);
    await LOSE[how]?.();
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByRole("alert").getByText("try again here: nothing is done twice").waitFor();
    const [unseen] = await listActive(name);
    expect(unseen).toBeDefined();
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByText("it is not shown again").first().waitFor();
    const key = await page.locator(".sheet code").first().innerText();
    expect((await service.call("read_account", {}, { key })).status).toBe(200);
    await page.getByRole("button", { name: "I have stored it" }).click();
    const left = await listActive(name);
    expect(left).toHaveLength(1);
    expect(left).not.toEqual([unseen]);
  },
);
