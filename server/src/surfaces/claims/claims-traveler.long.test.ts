import { randomBytes } from "node:crypto";
import { getAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import {
  accept,
  code,
  DESK_IN_THE_LIGHT,
  focused,
  openLink,
  PHONE_IN_THE_DARK,
  until,
  wallet,
} from "../../../test/support/claim-page.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

const LOOKS = [
  ["a phone in the dark", PHONE_IN_THE_DARK],
  ["a desk in the light", DESK_IN_THE_LIGHT],
] as const;
const REFUSED = /^Failed to load resource: the server responded with a status of/;

let service: TestService;
let chromium: TestBrowser;
beforeAll(async () => {
  service = await openSharedService();
  chromium = await startBrowser();
});
afterAll(async () => {
  await chromium?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function prefund(args: Record<string, unknown>) {
  const answer = await service.call("prefund_trip", { budgetUsdc: "50", buyerName: "Bob", ...args });
  expect(answer.status, answer.text).toBe(200);
  return Object(answer.body.result);
}

test.each(LOOKS)("on %s a guest accepts a trip and names the traveler", async (_name, look) => {
  const trip = await prefund({ guestName: "Ada", require2fa: true });
  const { page, errors } = await openLink(chromium, trip.guestLink, look);
  await until(page, "A trip for you, from Bob");
  expect(await page.getByText("Who is traveling").isVisible()).toBe(false);
  await wallet(page).fill(getAddress(`0x${randomBytes(20).toString("hex")}`));
  await code(page).fill(trip.claimCode);
  await accept(page).click();
  await until(page, "The trip is yours");
  const form = page.getByRole("form", { name: "Who is traveling" });
  await form.waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);

  const save = form.getByRole("button", { name: "Save" });
  await save.click();
  await page.getByText("Enter the given names.").waitFor();
  expect(await focused(page)).toBe("traveler-givenName");
  await form.getByLabel("Given names").fill("Ada");
  await form.getByLabel("Family name").fill("Lovelace");
  await form.getByLabel("Date of birth").fill("2099-01-01");
  await form.getByLabel("Title").selectOption("Ms");
  await form.getByLabel("Gender, as in the passport").selectOption("Female");
  await form.getByLabel("Email address").fill("ada@example.com");
  await form.getByLabel("Phone number").fill("0044 20 8016 0508");
  // The code of the claim is still there.
  expect(await form.getByLabel("Your code again").inputValue()).toBe(trip.claimCode);
  await save.click();
  await page.getByText("This must be between").waitFor();
  expect(await focused(page)).toBe("traveler-bornOn");
  await form.getByLabel("Date of birth").fill("1985-12-10");
  await page.keyboard.press("Enter");
  await page.getByText("You have nothing else to do").waitFor();
  expect(await form.isVisible()).toBe(false);

  const profile = await service.send(`/api/travelers/guest_${trip.tripId.slice(2)}`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  expect(profile.body).toMatchObject({
    givenName: "Ada",
    familyName: "Lovelace",
    bornOn: "1985-12-10",
    title: "ms",
    gender: "f",
    email: "ada@example.com",
    phoneNumber: "+442080160508",
  });
  expect(errors.filter((error) => !REFUSED.test(error))).toEqual([]);
  await page.close();
});

test("a guest who returns later does so with the code, and is not asked for a known address", async () => {
  const trip = await prefund({ guestName: "Ada", guestEmail: "ada@example.com", require2fa: true });
  const { guestLink, codeNonce, claimCode } = trip;
  const guestWallet = `0x${randomBytes(20).toString("hex")}`;
  expect((await service.call("guest_claim_link", { guestLink, codeNonce, claimCode, guestWallet })).status).toBe(200);
  const { page } = await openLink(chromium, guestLink);
  await until(page, "This trip has been accepted");
  const form = page.getByRole("form", { name: "Who is traveling" });
  expect(await form.getByLabel("Email address").isVisible()).toBe(false);
  await form.getByLabel("Given names").fill("Ada");
  await form.getByLabel("Family name").fill("Lovelace");
  await form.getByLabel("Date of birth").fill("1985-12-10");
  await form.getByLabel("Title").selectOption("Ms");
  await form.getByLabel("Gender, as in the passport").selectOption("Female");
  await form.getByLabel("Phone number").fill("+44 20 8016 0508");
  await form.getByLabel("Your code again").fill(claimCode === "000000" ? "000001" : "000000");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("That is not the right code. Tries left: 4.").waitFor();
  await form.getByLabel("Your code again").fill(claimCode);
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await page.close();
});

test("a trip without a guest asks for no traveler", async () => {
  const trip = await prefund({});
  const { page } = await openLink(chromium, trip.guestLink);
  await until(page, "A trip for you, from Bob");
  await wallet(page).fill(getAddress(`0x${randomBytes(20).toString("hex")}`));
  await accept(page).click();
  await page.getByText("You have nothing else to do").waitFor();
  expect(await page.getByText("Who is traveling").isVisible()).toBe(false);
  await page.close();
});
