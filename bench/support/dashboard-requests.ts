import type { Page } from "playwright-core";
import { say } from "./compare.ts";

/** A request that views make, and the first view that made it. */
export interface ViewRequest {
  view: string;
  path: string;
}

const SETTLED_MILLISECONDS = 700;
/** A list may lead to hundreds of equal pages: its first entries stand for all. */
const MOST_OF_A_KIND = 2;

/** Ids, and names of tools, codes and days, are all that distinguishes requests of a kind. */
const nameKind = (path: string): string =>
  path.replaceAll(
    /(?:\b[a-z]+_[0-9A-Za-z]{16,}|0x[0-9a-f]{40,}|\b\d{4,}\b|(?<=(?:tool|code|cursor|from|to)=)[^&]+)/g,
    "*",
  );
/** The choices of a page are pressed, not followed. */
const namePage = (path: string): string => nameKind(path).replaceAll(/=[^&]*/g, "=*");

/**
 * Walks through the dashboard as a person would: from Home to every page that it leads to, every choice that can be
 * pressed there, and the next page of each list. What the views ask on the way is the result.
 */
export async function findViewRequests(page: Page, appUrl: string): Promise<readonly ViewRequest[]> {
  const found = new Map<string, ViewRequest>();
  let view = "";
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    // The feed of events waits for what happens, by its nature.
    if (request.method() !== "GET" || !pathname.startsWith("/api/") || pathname === "/api/events") return;
    const path = pathname + search;
    const kind = nameKind(path);
    if (!found.has(kind)) found.set(kind, { view, path });
  });
  const visited = new Map<string, number>();
  const waiting: string[] = ["/dashboard"];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = namePage(path);
    const before = visited.get(kind) ?? 0;
    if (before >= MOST_OF_A_KIND) continue;
    visited.set(kind, before + 1);
    view = kind;
    await page.goto(appUrl + path);
    await settle(page);
    waiting.push(...(await listLinks(page)));
    await pressChoices(page);
    say(`looked at ${kind}: ${found.size} kinds of requests so far`);
  }
  return [...found.values()];
}

async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  await page.waitForLoadState("load");
  await page.evaluate(`new Promise((done) => setTimeout(done, ${SETTLED_MILLISECONDS}))`);
}

async function listLinks(page: Page): Promise<string[]> {
  const links: unknown = await page.evaluate(
    "[...document.querySelectorAll('a[href^=\"/dashboard\"]')].map((link) => link.getAttribute('href'))",
  );
  return Array.isArray(links) ? links.filter((link): link is string => typeof link === "string") : [];
}

/** Filters, tabs and the next page: all that reads, and changes nothing. */
async function pressChoices(page: Page): Promise<void> {
  const choices = page.locator(
    "main button[aria-pressed=false], main [role=tab][aria-selected=false], main button.more",
  );
  const names = await choices.allTextContents();
  for (const name of new Set(names)) {
    const choice = page.locator("main").getByRole("button", { name, exact: true }).first();
    if (!(await choice.isVisible())) continue;
    await choice.click();
    await settle(page);
    const more = page.locator("main button.more").first();
    if (!(await more.isVisible())) continue;
    await more.click();
    await settle(page);
  }
}
