import type { Locator, Page } from "playwright-core";
import type { TestBrowser, WatchedPage } from "./browser.ts";

export interface Look {
  width: number;
  height: number;
  scheme: "light" | "dark";
}

export const PHONE_IN_THE_DARK: Look = { width: 375, height: 700, scheme: "dark" };
export const DESK_IN_THE_LIGHT: Look = { width: 1280, height: 900, scheme: "light" };

export interface Guest extends WatchedPage {
  /** Addresses, each with the referrer that was sent. */
  requested: string[];
  posted: string[];
}

/** A guest's browser at the link, which notes what is asked for and what is posted. */
export async function openLink(chromium: TestBrowser, link: string, look: Look = DESK_IN_THE_LIGHT): Promise<Guest> {
  const watched = await chromium.watch(new URL(link).origin);
  const { page } = watched;
  const requested: string[] = [];
  const posted: string[] = [];
  page.on("request", (request) => {
    requested.push(`${request.url()} ${request.headers().referer ?? ""}`);
    posted.push(request.postData() ?? "");
  });
  await page.setViewportSize(look);
  await page.emulateMedia({ colorScheme: look.scheme });
  await page.goto(link);
  return { ...watched, requested, posted };
}

const heading = (page: Page, name: string): Locator => page.getByRole("heading", { level: 1, name });
export const until = async (page: Page, name: string) => heading(page, name).waitFor();
export const status = (page: Page): Locator => page.getByRole("status");
export const wallet = (page: Page): Locator => page.getByLabel("Address of your wallet");
export const code = (page: Page): Locator => page.getByLabel("Six-digit code");
export const accept = (page: Page): Locator => page.getByRole("button", { name: "Accept the trip" });

export const focused = (page: Page) => page.evaluate("document.activeElement.id");
