// Renews the pictures of the dashboard in README.md and on the home page: `node_modules/.bin/node scripts/take-screenshot.ts`.
//
// It starts the product in an empty folder, lets the demo tenant's agent do the same as always, and photographs the home view in both
// themes. Times and ids in the page are replaced, so that only a change of the dashboard changes the pictures.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { z } from "zod";
import { startProduct, stopProgram } from "../bench/support/processes.ts";
import { startBrowser } from "../server/test/support/browser.ts";

const IMAGES = join(import.meta.dirname, "../docs/images");
const MOST_BYTES = 100_000;
const SIZE = { width: 1_280, height: 680 };
const QUALITY = 0.86;
/** The moment that the pictures show. */
const SHOWN = Temporal.Instant.from("2026-11-02T10:00:00Z");
const DAY_MILLISECONDS = 86_400_000;

type Product = Awaited<ReturnType<typeof startProduct>>;

const Offers = z.object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })).min(1) });
const Answered = z.object({ result: z.unknown() });

/** Some trips, a run that waits for its guest, a call that needs an approval, and two that failed. */
async function fill({ appUrl, tenantId, apiKey, quickstart }: Product): Promise<void> {
  const send = async (path: string, method: "POST" | "PUT", body: object, key = quickstart.operatorKey) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(appUrl + path, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as unknown;
  };
  const ask = (tool: string, args: object) => send("/api/agent/dispatch", "POST", { tenantId, tool, args }, apiKey);
  const call = async (tool: string, args: object) => Answered.parse(await ask(tool, args)).result;
  const day = (ahead: number) => Temporal.Now.plainDateISO("UTC").add({ days: ahead }).toString();
  const routes = [
    ["LHR", "JFK", 60],
    ["CDG", "LIS", 33],
    ["FRA", "MAD", 21],
    ["AMS", "CPH", 12],
  ] as const;
  for (const [origin, destination, ahead] of routes) {
    const { offers } = Offers.parse(await call("search_flights", { origin, destination, departureDate: day(ahead) }));
    await call("book_flight", { offerId: offers[0]?.id });
  }
  const trip = z.object({ tripId: z.string() }).parse(await call("prefund_trip", { budgetUsdc: "900" }));
  const input = { tripId: trip.tripId, origin: "LHR", destination: "CDG", departureDate: day(40) };
  await send("/api/workflows/run", "POST", { workflowId: "service.book_flight", input }, apiKey);
  await ask("search_flights", { origin: "London" });
  await ask("read_order", { orderId: "ord_unknown" });
  await send("/api/policies/careful", "PUT", { document: { title: "Careful", payments: { maxAmountUsd: 100 } } });
  await send("/api/policy-enforcement", "PUT", { policyId: "careful" });
  await ask("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "250" });
}

async function signIn(browser: Browser, { appUrl, signInLink }: Product): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZE,
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(signInLink ?? appUrl);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  // Whole days, so that what was an hour ago still is.
  const days = Math.floor((SHOWN.epochMilliseconds - Date.now()) / DAY_MILLISECONDS);
  await page.clock.setFixedTime(SHOWN.epochMilliseconds);
  await page.route("**/api/**", async (route) => await answerForTheCamera(route, days));
  await page.route("**/api/events*", (route) => route.abort());
  return page;
}

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DATE = /(?<=")\d{4}-\d\d-\d\d(?=")/g;
const ID = /\b(run_|apr_|fail_|use_|bkg_|key_)[0-9A-Z]{26}\b/g;

/** The same answer on a fixed day. What happened during the fill happened some minutes ago, one after the other. */
async function answerForTheCamera(route: Route, days: number): Promise<void> {
  const response = await route.fetch();
  const now = Date.now();
  let minutes = 0;
  const body = (await response.text())
    .replaceAll(INSTANT, (text) => {
      const at = Temporal.Instant.from(text);
      const isRecent = Math.abs(at.epochMilliseconds - now) < DAY_MILLISECONDS / 24;
      if (isRecent) minutes += 7;
      const shown = isRecent
        ? SHOWN.subtract({ minutes })
        : SHOWN.add({ hours: Math.round((at.epochMilliseconds - now) / 3_600_000) });
      return shown.toString();
    })
    .replaceAll(DATE, (text) => Temporal.PlainDate.from(text).add({ days }).toString())
    .replaceAll(ID, (_text, prefix: string) => `${prefix}${"01M8QEDC".padEnd(26, "0")}`);
  await route.fulfill({ response, body });
}

/** As WebP, which the browser itself writes: a quarter of a PNG. */
async function photograph(page: Page, colorScheme: "light" | "dark"): Promise<Buffer> {
  await page.emulateMedia({ colorScheme });
  await page.reload();
  await page.getByText("LHR to JFK").first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  const png = (await page.screenshot({ animations: "disabled" })).toString("base64");
  const blank = await page.context().newPage();
  const written: unknown = await blank.evaluate(`(async () => {
    const picture = new Image();
    picture.src = "data:image/png;base64,${png}";
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d").drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: ${QUALITY} });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  })()`);
  await blank.close();
  return Buffer.from(String(written), "base64");
}

const folder = mkdtempSync(join(tmpdir(), "wayfare-screenshot-"));
process.env.TEST_BROWSER_FOLDER = folder;
const product = await startProduct(join(folder, "data"));
try {
  await using chromium = await startBrowser();
  await fill(product);
  const page = await signIn(chromium.browser, product);
  for (const theme of ["light", "dark"] as const) {
    const bytes = await photograph(page, theme);
    const file = join(IMAGES, `dashboard-${theme}.webp`);
    if (bytes.length > MOST_BYTES)
      throw new Error(`${file} would have ${bytes.length} bytes, more than ${MOST_BYTES}.`);
    writeFileSync(file, bytes);
    process.stdout.write(`${file}: ${bytes.length} bytes\n`);
  }
} finally {
  await stopProgram(product.child);
  rmSync(folder, { recursive: true, force: true });
}
