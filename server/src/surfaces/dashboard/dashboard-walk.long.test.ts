import { devices } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import { takeFirstWalk } from "../../../test/support/first-walk.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

// A browser is unpacked, and the dashboard is built where nobody has done it before.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let service: TestService;
let chromium: TestBrowser;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), startBrowser()]);
  await service.isFunded(service.tenantId);
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const MOST_MILLISECONDS = 60_000;

it("somebody who has seen nothing signs in, makes a key, calls, books, approves on a phone, finds the money and the failure, and revokes the key", async () => {
  const { page: desk, errors, foreignRequests } = await chromium.watch(service.appUrl);
  // Questions before something is lost are answered with yes.
  desk.on("dialog", (dialog) => void dialog.accept());
  const openPhone = async () => {
    const { viewport, userAgent, isMobile, hasTouch } = devices["iPhone 13"];
    const storageState = await desk.context().storageState();
    const context = await chromium.browser.newContext({ viewport, userAgent, isMobile, hasTouch, storageState });
    return await context.newPage();
  };
  const { firstCall } = await takeFirstWalk(service, { desk, openPhone, look: async () => undefined });
  expect(firstCall).toBeLessThan(MOST_MILLISECONDS);
  expect(errors).toEqual([]);
  expect(foreignRequests).toEqual([]);
});
