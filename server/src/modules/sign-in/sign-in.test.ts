import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BrowserLike } from "../../../test/support/browser-like.ts";
import { until } from "../../../test/support/embedded-fixture.ts";
import { createManualClock } from "../../../test/support/identity.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { sendRaw } from "../../../test/support/raw-http.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { PersonRole } from "../identity/index.ts";

const clock = createManualClock(Temporal.Now.instant().toString());
let mails: MailServer;
let service: TestService;
let made = 0;

beforeAll(async () => {
  mails = await startMailServer();
  service = await startTestService(
    { SMTP_URL: mails.url, MAIL_FROM: "wayfare@example.com", CLAIMS_PER_MINUTE: "100000" },
    { clock },
  );
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mails?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  mails.received.length = 0;
});

const sandbox = () => ({ tenantId: service.tenantId, environment: "sandbox" }) as const;

/** A person of the tenant with an address of their own. */
async function newPerson(...roles: [PersonRole, ...PersonRole[]]) {
  made += 1;
  const person = { id: `user_p${made}`, name: `Person ${made}`, email: `person${made}@example.com`, roles };
  await service.operator(({ persons }) => persons.add(sandbox(), person, "test"));
  return person;
}

/** Its hours begin at the machine's time, which the service's is ahead of. */
async function newLink(personId: string, provesAddress = true, lifeHours = 48): Promise<string> {
  const link = { kind: "sign_in", provesAddress, lifeHours } as const;
  return await service.operator(({ signInLinks }) => signInLinks.create({ ...sandbox(), personId }, link));
}

/** A browser that is signed in by a link. */
async function signIn(personId: string, provesAddress = true): Promise<BrowserLike> {
  const browser = new BrowserLike(service);
  const link = await newLink(personId, provesAddress);
  const page = await browser.submit(link, await browser.send(link));
  expect(page.status).toBe(303);
  return browser;
}

const csrfFor = (browser: BrowserLike) =>
  createHmac("sha256", browser.session ?? "")
    .update("csrf")
    .digest("base64url");

const change = (browser: BrowserLike, path: string, json: unknown, headers = {}) =>
  browser.send(path, { method: "PUT", json, headers: { "x-csrf-token": csrfFor(browser), ...headers } });

const profile = { givenName: "Ada" };
const code = ({ text }: { text: string }): unknown => JSON.parse(text).code;

/** Asks for a code; the browser is then on the page that takes it. */
async function askForCode(email: string): Promise<BrowserLike> {
  const browser = new BrowserLike(service);
  const asked = await browser.submit("/sign-in", await browser.send("/sign-in"), { email });
  expect([asked.status, asked.location]).toEqual([303, "/sign-in/code"]);
  return browser;
}

async function mailedCode(email: string): Promise<string> {
  const mail = await until(async () => mails.received.find(({ to }) => to.includes(email)));
  return /\d{4} \d{4}/.exec(mail.parsed.text ?? "")?.[0] ?? "";
}

const enter = async (browser: BrowserLike, given: string) =>
  await browser.submit("/sign-in/code", await browser.send("/sign-in/code"), { code: given });

describe("a mailed code", () => {
  it("signs a person in, once and only in the browser that asked", async () => {
    const { email } = await newPerson("traveler");
    const browser = await askForCode(email.toUpperCase());
    const sent = await mailedCode(email);
    expect((await browser.send("/sign-in/code")).text).not.toContain(sent.slice(0, 4));
    const other = new BrowserLike(service);
    expect((await enter(other, sent)).status).toBe(400);
    const visit = browser.cookies.get([...browser.cookies.keys()][0] ?? "");
    expect((await enter(browser, sent)).status).toBe(303);
    expect(browser.session).toBeDefined();
    expect(browser.session).not.toBe(visit);
    const again = await askForCode("nobody@example.com");
    for (const [name] of again.cookies) again.cookies.set(name, visit ?? "");
    expect((await enter(again, sent)).status, "it was used").toBe(400);
  });

  it("is worth five tries, and an address gets five in an hour", async () => {
    const { email } = await newPerson("traveler");
    const browser = await askForCode(email);
    const sent = await mailedCode(email);
    for (let tries = 0; tries < 5; tries += 1) expect((await enter(browser, "0000 0000")).status).toBe(400);
    expect((await enter(browser, sent)).status).toBe(400);
    expect(browser.session).toBeUndefined();
    for (let codes = 1; codes < 7; codes += 1) await askForCode(email);
    await until(async () => mails.received.length === 5 || undefined);
    const [row] = await service.sql("select count(*)::int as count from sign_in_code where email = $1", [email]);
    expect(row?.count).toBe(5);
  });

  it("withstands a thousand guesses at once: five are looked at, and the right one then comes too late", async () => {
    const { email } = await newPerson("traveler");
    const browser = await askForCode(email);
    const sent = await mailedCode(email);
    const page = await browser.send("/sign-in/code");
    const right = sent.replace(" ", "");
    const guesses = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(8, "0")).filter(
      (one) => one !== right,
    );
    while (guesses.length > 0) {
      const answers = guesses.splice(0, 50).map((given) => browser.submit("/sign-in/code", page, { code: given }));
      for (const { status } of await Promise.all(answers)) expect(status).toBe(400);
    }
    expect((await browser.submit("/sign-in/code", page, { code: right })).status).toBe(400);
    expect(browser.session).toBeUndefined();
    const [row] = await service.sql("select tries from sign_in_code where email = $1", [email]);
    expect(row?.tries).toBe(5);
  });

  it("ends after ten minutes", async () => {
    const { email } = await newPerson("traveler");
    const browser = await askForCode(email);
    const sent = await mailedCode(email);
    clock.advance({ minutes: 11 });
    expect((await enter(browser, sent)).status).toBe(400);
  });

  it("is asked for in the same words for an address of nobody's, which is mailed nothing", async () => {
    const { email } = await newPerson("traveler");
    const [known, unknown] = [await askForCode(email), await askForCode("stranger@example.com")];
    const words = (text: string) => text.replaceAll(/value="[^"]*"/g, "");
    expect(words((await unknown.send("/sign-in/code")).text)).toBe(words((await known.send("/sign-in/code")).text));
    await mailedCode(email);
    expect(mails.received.map(({ to }) => to)).toEqual([[email]]);
    for (let tries = 0; tries < 3; tries += 1) expect((await enter(unknown, "1234 5678")).status).toBe(400);
  });
});

/** The cookie of a browser that is about to sign in. */
async function readVisitCookie(): Promise<[name: string, value: string]> {
  const browser = new BrowserLike(service);
  await browser.send("/sign-in");
  const [cookie = ["", ""]] = browser.cookies;
  return [cookie[0], cookie[1]];
}

describe("a link", () => {
  it("is shown as often as wanted and signs in once", async () => {
    const { id, name } = await newPerson("traveler");
    const link = await newLink(id);
    for (let times = 0; times < 2; times += 1) {
      expect((await new BrowserLike(service).send(link)).text).toContain(name);
    }
    const browser = new BrowserLike(service);
    const page = await browser.send(link);
    expect((await browser.submit(link, page)).status).toBe(303);
    expect((await new BrowserLike(service).send(link)).status).toBe(404);
    expect((await browser.submit(link, page)).status, "its form was of the browser before it signed in").toBe(403);
  });

  it("ends after its hours, and with the person", async () => {
    const [{ id }, gone] = [await newPerson("traveler"), await newPerson("traveler")];
    const [link, goneLink] = [await newLink(id, true, 1), await newLink(gone.id)];
    await service.operator(({ persons }) => persons.remove(sandbox(), gone.id, "test"));
    expect((await new BrowserLike(service).send(goneLink)).status).toBe(404);
    clock.advance({ minutes: 61 });
    expect((await new BrowserLike(service).send(link)).status).toBe(404);
  });

  it("leads to where its browser wanted to go, once, and nowhere but to this product's pages", async () => {
    const { id } = await newPerson("traveler");
    const browser = new BrowserLike(service);
    const next = "/oauth/consent/a-request_1";
    await browser.send(`/sign-in?next=${encodeURIComponent(next)}`);
    const take = async () => {
      const link = await newLink(id);
      const { location = "" } = await browser.submit(link, await browser.send(link));
      return location === "/sign-in/next" ? (await browser.send(location)).location : location;
    };
    expect(await take()).toBe(next);
    expect(await take(), "another link means another thing").toBe("/dashboard");
    expect((await browser.send("/sign-in/next")).location).toBe("/dashboard");
    // Another page of the host may have set the cookie.
    for (const elsewhere of [
      "https://evil.example",
      "//evil.example",
      "/dashboard//evil",
      "/api/keys",
      "/oauth/token",
    ]) {
      await browser.submit("/sign-out", await browser.send("/sign-in"));
      await browser.send(`/sign-in?next=${encodeURIComponent(elsewhere)}`);
      expect(await take(), elsewhere).toBe("/dashboard");
      const [name, value] = await readVisitCookie();
      browser.cookies.set(name, `${value}.${Buffer.from(elsewhere).toString("base64url")}`);
      expect((await browser.send("/sign-in/next")).location, elsewhere).toBe("/dashboard");
    }
  });

  it("of a mailed code leads nowhere else, either", async () => {
    const { email } = await newPerson("traveler");
    for (const next of ["https://evil.example", "//evil.example", "/dashboard//evil", "/dashboard/\\evil.example"]) {
      const browser = new BrowserLike(service);
      const page = await browser.send(`/sign-in?next=${encodeURIComponent(next)}`);
      expect(page.text).not.toContain("evil");
      expect((await browser.submit("/sign-in", page, { email, next })).location).toBe("/sign-in/code");
    }
  });
});

describe("a session", () => {
  it("calls the same routes as a key, with the scopes of the person's roles", async () => {
    const traveler = await signIn((await newPerson("traveler")).id);
    expect((await traveler.send("/api/orders")).status).toBe(200);
    const administered = await change(traveler, "/api/policy-enforcement", { policyId: null });
    expect([administered.status, code(administered)]).toEqual([403, "missing_scope"]);
    const admin = await signIn((await newPerson("admin")).id);
    expect((await change(admin, "/api/policy-enforcement", { policyId: null })).status).toBe(200);
    const called = await admin.send("/api/agent/dispatch", {
      method: "POST",
      json: { tool: "read_account", args: {} },
      headers: { "x-csrf-token": csrfFor(admin) },
    });
    expect(called.status, called.text).toBe(200);
  });

  it("follows a change of roles at once, as do the person's own keys, which never get back what they lost", async () => {
    const { id } = await newPerson("admin");
    const setRoles = (...roles: PersonRole[]) =>
      service.operator(({ persons }) => persons.setRoles(sandbox(), id, roles, "test"));
    const scopes = ["*", "keys:administer", "approvals:decide"];
    const { apiKey, key } = await service.operator(({ mintKey }) =>
      mintKey({ ...sandbox(), personId: id, scopes, actor: "test" }),
    );
    const ask = async (path: string) =>
      (await service.send(path, { headers: { authorization: `Bearer ${apiKey}` } })).status;
    expect([await ask("/api/keys"), await ask("/api/orders")]).toEqual([200, 200]);
    await setRoles("traveler");
    expect([await ask("/api/keys"), await ask("/api/orders")]).toEqual([403, 200]);
    await setRoles("admin");
    expect(await ask("/api/keys")).toBe(403);
    await setRoles("auditor");
    const [row] = await service.sql("select scopes from api_key where id = $1", [key.id]);
    expect(row?.scopes).toContain("flights:read");
    expect(row?.scopes).not.toContain("*");
    const lines = await service.sql("select details from audit_log where action = 'key.narrow' and subject_id = $1", [
      key.id,
    ]);
    expect(lines).toHaveLength(2);
  });

  it("follows a change of roles at once, and ends with the person", async () => {
    const { id } = await newPerson("admin");
    const browser = await signIn(id);
    const enforce = () => change(browser, "/api/policy-enforcement", { policyId: null });
    expect((await enforce()).status).toBe(200);
    await service.operator(({ persons }) => persons.setRoles(sandbox(), id, ["traveler"], "test"));
    expect(code(await enforce())).toBe("missing_scope");
    await service.operator(({ persons }) => persons.remove(sandbox(), id, "test"));
    expect((await browser.send("/api/orders")).status).toBe(401);
  });

  it("is refused to pages of other origins, other ports and other names, and without its token", async () => {
    const browser = await signIn((await newPerson("traveler")).id);
    const put = (headers: Record<string, string | undefined>) =>
      change(browser, "/api/travelers/user_x", profile, headers);
    const { hostname, host, port } = new URL(service.appUrl);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: `http://${hostname}:1` },
      { origin: "null" },
      { origin: undefined },
      { "sec-fetch-site": "same-site" },
      { "x-csrf-token": undefined },
      { "x-csrf-token": csrfFor(new BrowserLike(service)) },
    ]) {
      expect(code(await put(headers)), JSON.stringify(headers)).toBe("session_refused");
    }
    expect((await put({})).status).toBe(201);
    const read = await browser.send("/api/orders", { headers: { "sec-fetch-site": "cross-site" } });
    expect(code(read)).toBe("session_refused");
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const ask = (name: string) => sendRaw(`${service.appUrl}/api/orders`, { headers: { host: name, cookie } });
    expect((await ask(host)).status).toBe(200);
    expect((await ask(`rebound.example:${port}`)).status).toBe(403);
  });

  it("has another secret than any that a browser brought, and an old one ends", async () => {
    const { id } = await newPerson("traveler");
    const first = await signIn(id);
    const fixed = new BrowserLike(service);
    for (const [name, value] of first.cookies) fixed.cookies.set(name, value);
    const link = await newLink(id);
    await fixed.submit(link, await fixed.send(link));
    expect(fixed.session).not.toBe(first.session);
    expect((await first.send("/api/orders")).status, "the session that the browser had").toBe(401);
    expect((await fixed.send("/api/orders")).status).toBe(200);
  });

  it("is listed and ended by its person only", async () => {
    const { id } = await newPerson("traveler");
    const [one, two, stranger] = [await signIn(id), await signIn(id), await signIn((await newPerson("admin")).id)];
    const listed = JSON.parse((await one.send("/api/sessions")).text).sessions;
    expect(listed).toHaveLength(2);
    const end = (browser: BrowserLike) =>
      browser.send(`/api/sessions/${listed[0].sessionId}`, {
        method: "DELETE",
        headers: { "x-csrf-token": csrfFor(browser) },
      });
    expect((await end(stranger)).status).toBe(404);
    expect((await end(one)).status).toBe(200);
    expect((await two.send("/api/orders")).status).toBe(401);
    expect((await one.send("/api/orders")).status).toBe(200);
    await one.submit("/sign-out", await one.send("/sign-in"));
    expect(one.session).toBeUndefined();
  });

  it("spends and changes rules only for a quarter of an hour after the sign-in", async () => {
    const browser = await signIn((await newPerson("admin")).id);
    clock.advance({ minutes: 16 });
    const headers = { "x-csrf-token": csrfFor(browser) };
    const args = { to: `0x${"7".repeat(40)}`, amount: "1", token: "USDC" };
    const spent = await browser.send("/api/agent/dispatch", {
      method: "POST",
      json: { tool: "send_tokens", args },
      headers,
    });
    expect([spent.status, code(spent)]).toEqual([403, "sign_in_again"]);
    const preview = { tool: "preview_call", args: { tool: "send_tokens", args } };
    const previewed = await browser.send("/api/agent/dispatch", { method: "POST", json: preview, headers });
    expect(previewed.status, "a preview changes nothing").toBe(200);
    const { problem, warnings } = JSON.parse(previewed.text).result;
    expect(problem?.code).not.toBe("sign_in_again");
    expect(warnings).toContainEqual(expect.stringContaining("Sign in again"));
    expect(code(await change(browser, "/api/policy-enforcement", { policyId: null }))).toBe("sign_in_again");
    expect((await change(browser, "/api/travelers/user_y", profile)).status).toBe(201);
  });

  it("of a proved address reaches every tenant of the address; that of a link that somebody saw, only its own", async () => {
    const { id, email } = await newPerson("traveler");
    const other = await service.operator(async ({ createTenant, persons }) => {
      const { tenant } = await createTenant({ name: "Second", actor: "test" });
      const person = { id: "user_there", name: "There", email, roles: ["traveler"] } as const;
      await persons.add({ tenantId: tenant.id, environment: "sandbox" }, person, "test");
      return tenant.id;
    });
    const headers = { "x-tenant": `${other}/sandbox` };
    const proved = await signIn(id);
    expect((await proved.send("/api/orders", { headers })).status).toBe(200);
    expect((await (await signIn(id, false)).send("/api/orders", { headers })).status).toBe(401);
    expect((await proved.send("/api/orders", { headers: { "x-tenant": `${other}/production` } })).status).toBe(401);
  });

  it("opens neither MCP nor the edge host", async () => {
    const browser = await signIn((await newPerson("admin")).id);
    const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { "x-csrf-token": csrfFor(browser), accept: "application/json, text/event-stream" };
    expect((await browser.send("/api/mcp", { method: "POST", json, headers })).status).toBe(401);
  });
});

it("the pages run no script and are framed by nobody", async () => {
  const page = await new BrowserLike(service).send("/sign-in");
  const policy = page.headers.get("content-security-policy");
  for (const part of ["default-src 'self'", "script-src 'none'", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  expect(page.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax/);
  expect(page.text).not.toContain("<script");
});
