import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import { BrowserLike } from "../../../test/support/browser-like.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { csrfToken } from "./session-cookies.ts";

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const person = { id: "user_keys", name: "Ada", email: "ada-keys@example.com", roles: ["admin"] } as const;
let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
beforeAll(async () => {
  // Browsers accept passkeys at names only.
  [service, chromium] = await Promise.all([startTestService({ HOST: "localhost" }), startBrowser()]);
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  await service.operator(({ persons }) => persons.add(owner, person, "test"));
  watched = await chromium.watch(service.appUrl);
  const devtools = await watched.page.context().newCDPSession(watched.page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function signInByLink(): Promise<void> {
  const { page } = watched;
  const link = await service.operator(({ signInLinks }) =>
    signInLinks.create(
      { tenantId: service.tenantId, environment: "sandbox", personId: person.id },
      { kind: "sign_in", provesAddress: true, lifeHours: 1 },
    ),
  );
  await page.goto(`${service.appUrl}${link}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
}

const usePasskey = () => watched.page.getByRole("button", { name: "Sign in with a passkey" }).click();
const countRecent = async () => {
  const [row] = await service.sql(
    "select count(*)::int as count from sign_in_session where person_id = $1 and ended_at is null and proved_at > now() - interval '10 minutes'",
    [person.id],
  );
  return row?.count;
};

it("a person adds a passkey, signs in with it, proves themselves again with it, and removes it", async () => {
  const { page, errors, foreignRequests } = watched;
  await signInByLink();
  await page.goto(`${service.appUrl}/dashboard/settings/sessions`);
  await page.getByLabel("Name").fill("own laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("own laptop").waitFor();
  await page.getByText("never used").waitFor();

  await page.context().clearCookies();
  await page.goto(`${service.appUrl}/sign-in?next=/dashboard/usage`);
  await usePasskey();
  await page.waitForURL(`${service.appUrl}/dashboard/usage`);

  await service.sql("update sign_in_session set proved_at = now() - interval '1 hour' where person_id = $1", [
    person.id,
  ]);
  await page.goto(`${service.appUrl}/sign-in?again=1&next=/dashboard/settings/sessions`);
  await usePasskey();
  await page.waitForURL(`${service.appUrl}/dashboard/settings/sessions`);
  expect(await countRecent()).toBe(1);

  expect(errors).toEqual([]);
  expect(foreignRequests).toEqual([]);
  // The answer is caught on its way, so that nobody has used it.
  const caught = Promise.withResolvers<string>();
  await page.route("**/sign-in/passkey", async (route) => {
    caught.resolve(route.request().postData() ?? "{}");
    await route.abort();
  });
  await page.goto(`${service.appUrl}/sign-in?again=1`);
  await usePasskey();
  const stolen = JSON.parse(await caught.promise);
  await page.unroute("**/sign-in/passkey");
  const other = new BrowserLike(service);
  await other.send("/sign-in");
  const [visit = ""] = other.cookies.values();
  const again = await other.send("/sign-in/passkey", {
    method: "POST",
    json: stolen,
    headers: { "x-csrf-token": csrfToken(visit) },
  });
  expect([again.status, other.session], "an answer works in its browser only").toEqual([401, undefined]);

  await page.goto(`${service.appUrl}/dashboard/settings/sessions`);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove it" }).click();
  await page.getByText("by the lock of your device").waitFor();
  await page.context().clearCookies();
  await page.goto(`${service.appUrl}/sign-in`);
  await usePasskey();
  await page.getByText("This passkey is not known here").waitFor();
  expect((await page.context().cookies()).filter(({ name }) => name.includes("session"))).toEqual([]);
});

it("passkeys are added by a recent session from an own page only, never with a key", async () => {
  const browser = new BrowserLike(service);
  const link = await service.operator(({ signInLinks }) =>
    signInLinks.create(
      { tenantId: service.tenantId, environment: "sandbox", personId: person.id },
      { kind: "sign_in", provesAddress: true, lifeHours: 1 },
    ),
  );
  await browser.submit(link, await browser.send(link));
  const headers = { "x-csrf-token": csrfToken(browser.session ?? "") };
  const begin = (change: Record<string, string | undefined> = {}) =>
    browser.send("/sign-in/passkeys/options", { method: "POST", json: {}, headers: { ...headers, ...change } });
  expect((await begin()).status).toBe(200);
  for (const change of [
    { "x-csrf-token": undefined },
    { origin: "https://evil.example" },
    { origin: undefined },
    { "sec-fetch-site": "same-site" },
  ]) {
    expect((await begin(change)).status, JSON.stringify(change)).toBe(403);
  }
  await service.sql("update sign_in_session set proved_at = now() - interval '1 hour' where person_id = $1", [
    person.id,
  ]);
  expect(JSON.parse((await begin()).text).code).toBe("sign_in_again");
  const withKey = await service.send("/sign-in/passkeys/options", {
    method: "POST",
    headers: { authorization: `Bearer ${service.operatorKey}`, origin: service.appUrl },
  });
  expect(withKey.status).toBe(401);
});
