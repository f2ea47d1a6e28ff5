import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { OauthProgram } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** A program that listens on its own machine for the answer. */
async function listen() {
  const server = createServer((_request, response) => void response.end("You can close this page."));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    redirect: `http://127.0.0.1:${port}/callback`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

it("a browser without script leads from the program to the consent and back; the dashboard ends the connection", async () => {
  const program = await OauthProgram.registered(service, { client_name: "Listening program" });
  const listening = await listen();
  const noScript = await chromium.browser.newContext({ javaScriptEnabled: false });
  const page = await noScript.newPage();
  const link = service.app.facts.find(({ label }) => label === "dashboard")?.text.split(" ")[0] ?? "";
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.goto(program.url({ redirect_uri: listening.redirect }).href);
  await page.getByRole("heading", { name: "Listening program asks to act for you" }).waitFor();
  await page.getByLabel("Per call").fill("25");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(`${listening.redirect}?**`);
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  const { body } = await program.redeem(code, { redirect_uri: listening.redirect });
  const token = String(body.access_token);
  expect((await program.call(token, "read_account")).status).toBe(200);

  const context = await chromium.browser.newContext();
  await context.addCookies(await noScript.cookies());
  const dashboard = await context.newPage();
  await dashboard.goto(`${service.appUrl}/dashboard/settings/agents`);
  const row = dashboard.getByRole("listitem").filter({ hasText: "Listening program" });
  await row.getByText("name not verified").waitFor();
  await row.getByRole("button", { name: "Disconnect" }).click();
  await dashboard.getByRole("button", { name: "Disconnect it" }).click();
  await dashboard.getByText("No agent is connected.").waitFor();
  expect((await program.call(token, "read_account")).status).toBe(401);

  await dashboard.goto(`${service.appUrl}/dashboard/settings/members`);
  await dashboard.getByLabel("Name").fill("Grace Hopper");
  await dashboard.getByLabel("E-mail address").fill("grace@example.com");
  await dashboard.getByRole("button", { name: "Invite", exact: true }).click();
  await dashboard.getByText("Grace Hopper is invited").waitFor();
  await dashboard.locator(".copy code").first().waitFor();
  const member = dashboard.getByRole("listitem").filter({ hasText: "grace@example.com" });
  await member.getByRole("button", { name: "Change roles" }).click();
  await member.getByLabel("approver").check();
  await member.getByRole("button", { name: "Save" }).click();
  await member.getByText("traveler, approver").waitFor();
  await member.getByRole("button", { name: "Remove" }).click();
  await dashboard.getByLabel("Type “Grace Hopper” to confirm").fill("Grace Hopper");
  await dashboard.getByRole("button", { name: "Remove them" }).click();
  await member.waitFor({ state: "detached" });
  await listening.close();
});
