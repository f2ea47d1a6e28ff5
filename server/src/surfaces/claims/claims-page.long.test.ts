import { randomBytes } from "node:crypto";
import { getAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBrowser, type TestBrowser } from "../../../test/support/browser.ts";
import {
  accept,
  code,
  DESK_IN_THE_LIGHT,
  focused,
  type Look,
  openLink,
  PHONE_IN_THE_DARK,
  status,
  until,
  wallet,
} from "../../../test/support/claim-page.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

const LOOKS = [
  ["a phone in the dark", PHONE_IN_THE_DARK],
  ["a desk in the light", DESK_IN_THE_LIGHT],
] as const;
/** Lists refused requests, which are not errors of the page. */
const REFUSED = /^Failed to load resource: the server responded with a status of/;

let service: TestService;
let chromium: TestBrowser;
let mail: MailServer;
const logged: string[] = [];

beforeAll(async () => {
  mail = await startMailServer();
  service = await startTestService(
    {
      SMTP_URL: mail.url,
      MAIL_FROM: "Wayfare <trips@wayfare.example>",
      LOG_LEVEL: "debug",
      CLAIMS_PER_MINUTE: "100000",
    },
    { logTo: { write: (line: string) => logged.push(line) } },
  );
  await service.isFunded(service.tenantId);
  chromium = await startBrowser();
});
beforeEach(() => {
  mail.received.length = 0;
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

interface Prefunded {
  tripId: string;
  guestLink: string;
  claimCode: string;
  emailSent: boolean;
}

async function prefund(args: Record<string, unknown> = {}): Promise<Prefunded> {
  const answer = await service.call("prefund_trip", {
    budgetUsdc: "500.25",
    expiresInDays: 30,
    require2fa: true,
    buyerName: "Bob",
    guestName: "Ada",
    tripSummary: "Lisbon in May,\ntwo nights by the river.",
    ...args,
  });
  expect(answer.status, answer.text).toBe(200);
  return Object(answer.body.result);
}

const open = (link: string, look?: Look) => openLink(chromium, link, look);
const newWallet = () => getAddress(`0x${randomBytes(20).toString("hex")}`);
const linkSecret = (link: string) => new URL(link).hash.slice(1);
const wrongCode = ({ claimCode }: Prefunded) => (claimCode === "000000" ? "000001" : "000000");

describe("a guest with the link from the mail", () => {
  test.each(LOOKS)("on %s sees the trip, mistypes the code, and accepts the trip", async (_name, look) => {
    const trip = await prefund({ guestEmail: "ada@example.com" });
    expect(trip.emailSent).toBe(true);
    const text = mail.received[0]?.parsed.text ?? "";
    const link = /^http\S+#\S+$/m.exec(text)?.[0] ?? "";
    expect(link).toBe(trip.guestLink);
    expect(text.replace(link, "")).not.toContain(trip.claimCode);

    const { page, errors, foreignRequests, requested, posted } = await open(link, look);
    await until(page, "A trip for you, from Bob");
    expect(await page.getByText("500.25 USDC").isVisible()).toBe(true);
    expect(await page.getByText("Can be accepted until").isVisible()).toBe(true);
    expect(await page.getByText("two nights by the river").isVisible()).toBe(true);
    expect(await page.getByText("test money").isVisible()).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
    expect((await accept(page).boundingBox())?.height).toBeGreaterThan(44);

    const address = newWallet();
    await wallet(page).fill(address);
    await code(page).fill(wrongCode(trip));
    await accept(page).click();
    await page.getByText("That is not the right code. 4 tries are left").waitFor();
    expect(await code(page).getAttribute("aria-invalid")).toBe("true");
    expect(await focused(page)).toBe("code");

    await code(page).fill(`${trip.claimCode.slice(0, 3)} ${trip.claimCode.slice(3)}`);
    await page.keyboard.press("Enter");
    await until(page, "The trip is yours");
    const stored = await service.send(`/api/trips/${trip.tripId}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    const { claim, transactions } = Object(stored.body);
    expect(claim).toMatchObject({ guestWallet: address.toLowerCase(), wrongCodes: 1 });
    const claimed = transactions.find(({ step }: { step: string }) => step === "claim");
    expect(await page.getByText(claimed.txHash).isVisible()).toBe(true);
    expect(await page.getByText(address.toLowerCase()).isVisible()).toBe(true);

    const secret = linkSecret(link);
    expect(page.url()).toBe(link.replace(/#.*/, ""));
    expect(await page.evaluate("location.hash")).toBe("");
    expect(posted.some((body) => body.includes(secret))).toBe(true);
    expect(requested.join()).not.toContain(secret);
    expect(logged.join()).not.toContain(secret);
    // Six digits can occur in any hash or time, but not as a separate value.
    const alone = new RegExp(`(?<![0-9a-fA-F.])${trip.claimCode}(?![0-9a-fA-F.])`);
    expect(`"claimCode":"${trip.claimCode}"`).toMatch(alone);
    expect(logged.join()).not.toMatch(alone);
    expect(logged.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !REFUSED.test(error))).toEqual([]);
    expect(foreignRequests).toEqual([]);
    await page.close();
  });

  test("can go back, return and reload without losing the link, which is in no address on the way", async () => {
    const trip = await prefund({ require2fa: false });
    const { page } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    expect(await code(page).isVisible()).toBe(false);
    await page.reload();
    await until(page, "A trip for you, from Bob");
    await page.goto(`${service.appUrl}/healthz`);
    await page.goBack();
    await until(page, "A trip for you, from Bob");
    expect(page.url()).not.toContain("#");
    await page.close();
  });

  test("can use the keyboard alone", async () => {
    const trip = await prefund();
    const { page } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("wallet");
    await page.keyboard.type(newWallet());
    // Past the paste button.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("code");
    await page.keyboard.type(trip.claimCode);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await until(page, "The trip is yours");
    await page.close();
  });
});

test("typing errors are shown before anything is sent", async () => {
  const trip = await prefund();
  const { page, posted } = await open(trip.guestLink);
  await until(page, "A trip for you, from Bob");
  await code(page).fill("12345");
  for (const [given, said] of [
    ["", "Enter the address of your wallet."],
    ["0x1234", "An address is 0x followed by 40 digits"],
    ["0x70997970C51812dc3A010C7d01b50e0d17dc79C9", "A letter of this address is wrong."],
    [`0x${"0".repeat(40)}`, "This address belongs to nobody."],
    [`0x${"ab".repeat(32)}`, "This looks like a private key."],
    ["legal winner thank year wave sausage", "This looks like a recovery phrase."],
  ] as const) {
    await wallet(page).fill(given);
    await accept(page).click();
    await page.getByText(said).waitFor();
    expect(await wallet(page).getAttribute("aria-invalid")).toBe("true");
    expect(await focused(page)).toBe("wallet");
  }
  await wallet(page).fill("  0x70997970C51812dc3A010C7d01b50e0d17dc79C8 ");
  await page.getByText("This looks like a recovery phrase.").waitFor({ state: "hidden" });
  await page.getByText("It begins with 0x7099 and ends with 79C8").waitFor();
  await accept(page).click();
  await page.getByText("The code has six digits.").waitFor();
  expect(await focused(page)).toBe("code");
  expect(posted.join()).not.toContain("guestWallet");
  await page.close();
});

test("an address is pasted with a tap, and its error is shown at once", async () => {
  const { guestLink } = await prefund();
  const { page } = await open(guestLink);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.appUrl });
  await until(page, "A trip for you, from Bob");
  for (const [copied, said] of [
    ["0x70997970C51812dc3A010C7d01b50e0d17dc79C9", "A letter of this address is wrong."],
    [" 0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n", "ends with 79C8"],
  ]) {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(copied)})`);
    await page.getByRole("button", { name: "Paste" }).click();
    await page.getByText(said ?? "").waitFor();
    expect(await wallet(page).inputValue()).toBe(copied?.trim());
  }
  await page.close();
});

describe("a trip cannot be accepted", () => {
  test("if the link is incomplete, or another trip's", async () => {
    const trip = await prefund();
    const other = await prefund();
    const [address = ""] = trip.guestLink.split("#");
    for (const link of [
      address,
      `${address}#${linkSecret(other.guestLink)}`,
      `${address}#x`,
      `${service.appUrl}/claim/0x12#${linkSecret(trip.guestLink)}`,
      `${service.appUrl}/claim/%00%ff#${linkSecret(trip.guestLink)}`,
    ]) {
      const { page } = await open(link);
      await until(page, "This link does not work");
      expect(await accept(page).isVisible()).toBe(false);
      await page.close();
    }
  });

  test("after five wrong codes, until the buyer unlocks it", async () => {
    const trip = await prefund();
    const { page } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    await wallet(page).fill(newWallet());
    for (const said of ["4 tries are left", "3 tries are left", "2 tries are left", "One try is left"]) {
      await code(page).fill(wrongCode(trip));
      await accept(page).click();
      await page.getByText(said).waitFor();
    }
    await code(page).fill(wrongCode(trip));
    await accept(page).click();
    await until(page, "Too many wrong codes");
    const unlocked = await service.send(`/api/trips/${trip.tripId}/unlock`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    expect(unlocked.status).toBe(200);
    await page.getByRole("button", { name: "Try again" }).click();
    await until(page, "A trip for you, from Bob");
    await code(page).fill(trip.claimCode);
    await accept(page).click();
    await until(page, "The trip is yours");
    await page.close();
  });

  test("if it has expired", async () => {
    const trip = await prefund();
    await service.sql("update trip set expires_at = now() - interval '1 hour' where trip_id = $1", [trip.tripId]);
    const { page } = await open(trip.guestLink);
    await until(page, "This trip can no longer be accepted");
    await page.close();
  });

  test("if somebody has accepted it, even while the page was open", async () => {
    const trip = await prefund();
    const [first, second] = [await open(trip.guestLink), await open(trip.guestLink)];
    const winner = newWallet();
    for (const [{ page }, address] of [
      [first, winner],
      [second, newWallet()],
    ] as const) {
      await until(page, "A trip for you, from Bob");
      await wallet(page).fill(address);
      await code(page).fill(trip.claimCode);
    }
    await accept(first.page).click();
    await until(first.page, "The trip is yours");
    await accept(second.page).click();
    await until(second.page, "This trip has been accepted");
    expect(await second.page.getByText(winner.toLowerCase()).isVisible()).toBe(true);
    await first.page.close();
    await second.page.close();
  });

  test("while its budget is on the way, or if it never arrives", async () => {
    const trip = await prefund();
    const set = (state: string) => service.sql("update trip set state = $1 where trip_id = $2", [state, trip.tripId]);
    await set("funding");
    const { page } = await open(trip.guestLink);
    await until(page, "The budget is still on its way");
    await set("funded");
    await until(page, "A trip for you, from Bob");
    await set("failed");
    await page.reload();
    await until(page, "This trip has no budget");
    await set("closed");
    await page.reload();
    await until(page, "This trip has been closed");
    await page.close();
  });
});

describe("a bad connection", () => {
  test("loses the answer: the outcome is looked up, and not requested twice", async () => {
    const trip = await prefund();
    const { page, posted } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    let lost = 0;
    await page.route(/\/api\/claims\/0x[0-9a-f]+$/, async (route) => {
      await route.fetch();
      lost += 1;
      await route.abort();
    });
    await wallet(page).fill(newWallet());
    await code(page).fill(trip.claimCode);
    await accept(page).click();
    await until(page, "The trip is yours");
    expect(lost).toBe(1);
    expect(posted.filter((body) => body.includes("guestWallet"))).toHaveLength(1);
    await page.close();
  });

  test("loses the answer to a wrong code: it is not sent again", async () => {
    const trip = await prefund();
    const { page, posted } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    await page.route(/\/api\/claims\/0x[0-9a-f]+$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await wallet(page).fill(newWallet());
    await code(page).fill(wrongCode(trip));
    await accept(page).click();
    await page.getByText("4 tries are left").waitFor();
    expect(posted.filter((body) => body.includes("guestWallet"))).toHaveLength(1);
    await page.close();
  });

  test("loses the request: the page continues by itself", async () => {
    const trip = await prefund();
    const { page } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    let lost = 0;
    const requests = /\/api\/claims\//;
    await page.route(requests, (route) => {
      lost += 1;
      return route.abort();
    });
    await wallet(page).fill(newWallet());
    await code(page).fill(trip.claimCode);
    await accept(page).click();
    await status(page).getByText("There is no connection.").waitFor();
    await expect.poll(() => lost).toBeGreaterThan(1);
    // Only once it was shown: the message disappears with the next answer.
    await page.unroute(requests);
    await until(page, "The trip is yours");
    await page.close();
  });

  test("or a slow chain: the page keeps asking until it is done", async () => {
    const trip = await prefund();
    const { page } = await open(trip.guestLink);
    await until(page, "A trip for you, from Bob");
    const slow = { ok: false, status: 409, code: "in_progress", reason: "step_in_progress", retryable: true };
    const claims = /\/api\/claims\/0x[0-9a-f]+$/;
    await page.route(claims, (route) =>
      route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(slow) }),
    );
    await wallet(page).fill(newWallet());
    await code(page).fill(trip.claimCode);
    await accept(page).click();
    await status(page).getByText("The chain is slow.").waitFor();
    await page.unroute(claims);
    await until(page, "The trip is yours");
    await page.close();
  });
});

test("the buyer's text stays text on the page, whatever it is", async () => {
  const trip = await prefund({ buyerName: "<img src=x onerror=alert(1)>", tripSummary: "</script><b>bold</b>" });
  const { page, errors } = await open(trip.guestLink, PHONE_IN_THE_DARK);
  await until(page, "A trip for you, from <img src=x onerror=alert(1)>");
  expect(await page.getByText("</script><b>bold</b>").isVisible()).toBe(true);
  expect(await page.locator("img, b").count()).toBe(0);
  expect(errors).toEqual([]);
  await page.close();
});

test("without scripts the page says what it requires", async () => {
  const trip = await prefund();
  const context = await chromium.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(trip.guestLink);
  await until(page, "This page needs JavaScript");
  expect(await page.getByText("the secret behind").count()).toBe(0);
  await context.close();
});
