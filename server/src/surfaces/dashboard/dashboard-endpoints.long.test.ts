import axe from "axe-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser, type WatchedPage } from "../../../test/support/browser.ts";
import { type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { signInViewer } from "../../../test/support/viewer.ts";

/** A person looks after the addresses that get events, and a receiver checks with the specification's own library. */

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
let watched: WatchedPage;
let receiver: ScriptedServer;
/** As the page has shown it. */
let secret: string;

beforeAll(async () => {
  [service, chromium, receiver] = await Promise.all([
    openSharedService(),
    startBrowser(),
    startScriptedServer(() => ({ status: 204 })),
  ]);
  watched = await chromium.watch(service.appUrl);
  // Questions before something is lost are answered with yes.
  watched.page.on("dialog", (dialog) => void dialog.accept());
  await signInViewer(service, watched);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await receiver?.close();
  await service?.[Symbol.asyncDispose]();
});

const FIND_VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))";

/** At a desk and on a phone. */
async function expectAccessible(name: string): Promise<void> {
  const { page } = watched;
  await page.evaluate(axe.source);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(FIND_VIOLATIONS), `${name}, ${width}`).toEqual([]);
    const beside = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(beside), `${name}, ${width}`).toBe(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Whether the last request was signed with the secret. */
function isSigned(with_: string): boolean {
  const last = receiver.requests.at(-1);
  const headers = Object.fromEntries(Object.entries(last?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  try {
    new Webhook(with_).verify(JSON.stringify(last?.body), headers);
    return true;
  } catch {
    return false;
  }
}

async function sendTest(): Promise<void> {
  const { page } = watched;
  const before = receiver.requests.length;
  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect.poll(() => receiver.requests.length).toBe(before + 1);
  await page.locator(".records .status", { hasText: "delivered" }).nth(before).waitFor();
}

async function keepSecret(): Promise<string> {
  const { page } = watched;
  await page.getByText("it is not shown again").waitFor();
  const shown = await page.locator(".sheet code").first().innerText();
  expect(shown).toMatch(/^whsec_/);
  await expectAccessible("the secret");
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.locator(".sheet").waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(shown);
  return shown;
}

it.each([
  ["http://example.com/hook", "Begin the address with https://."],
  ["https://example.com:8443/hook", "Leave out the port"],
  ["https://192.168.3.4/hook", "This address is inside a private network"],
  ["https://me:word@example.com/hook", "Leave out the user name and the password."],
])("an empty list opens the form, where %s is refused in words", async (url, words) => {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard/channels?list=events`);
  await page.getByText("Events are sent nowhere yet.").waitFor();
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  await page.getByLabel("Address").fill(url);
  await page.getByRole("button", { name: "Add the endpoint" }).click();
  await page.getByRole("alert").getByText(words).waitFor();
  await page.getByLabel("Address").fill(receiver.url);
  await page.getByLabel("Every type, also those of later releases").uncheck();
  await page.getByRole("button", { name: "Add the endpoint" }).click();
  await page.getByText("Choose at least one.").waitFor();
  await expectAccessible("the form");
});

it("an endpoint is added, and what arrives is signed with the secret that was shown", async () => {
  const { page } = watched;
  await page.goto(`${service.appUrl}/dashboard/channels?list=events`);
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  await page.getByLabel("Address").fill(receiver.url);
  await page.getByLabel("Description").fill("Our own books");
  await page.getByLabel("Every type, also those of later releases").uncheck();
  await page.getByText("Orders", { exact: true }).click();
  await page.getByLabel("order.ticketed").check();
  await page.getByRole("button", { name: "Add the endpoint" }).click();
  secret = await keepSecret();
  await page.getByText("Our own books: order.ticketed").waitFor();
  await expectAccessible("the list");
  await sendTest();
  expect(isSigned(secret)).toBe(true);
});

it("its types are changed, and its secret is replaced while the former one still signs", async () => {
  const { page } = watched;
  await page.getByRole("button", { name: "Change" }).click();
  expect(await page.getByLabel("order.ticketed").isChecked()).toBe(true);
  await page.getByLabel("order.booked").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("order.booked, order.ticketed").waitFor();
  await page.getByRole("button", { name: "Rotate the secret" }).click();
  await page.getByLabel("The old secret is used for").selectOption("1 more hour");
  await page.getByRole("button", { name: "Create the new secret" }).click();
  const next = await keepSecret();
  await page.getByText("Signed with the old secret as well until").waitFor();
  await sendTest();
  expect([isSigned(secret), isSigned(next), next === secret]).toEqual([true, true, false]);
});

it("it is switched off and on again, and removed", async () => {
  const { page, errors, foreignRequests } = watched;
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Switch it off" }).click();
  await page.getByRole("button", { name: "Switch on again" }).click();
  await sendTest();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove the endpoint" }).click();
  await page.getByText("Events are sent nowhere yet.").waitFor();
  // The browser's own line about each address that was refused.
  expect(errors.filter((error) => !error.includes("status of 400"))).toEqual([]);
  expect(foreignRequests).toEqual([]);
});
