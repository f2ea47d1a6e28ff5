import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { BrowserLike } from "../../../test/support/browser-like.ts";
import { until } from "../../../test/support/embedded-fixture.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { signedInBrowser } from "../../../test/support/oauth-clients.ts";
import { OauthProgram } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { csrfToken } from "../../surfaces/sign-in/session-cookies.ts";
import type { PersonRole } from "../identity/index.ts";

let mails: MailServer;
let service: TestService;
let made = 0;
const sandbox = () => ({ tenantId: service.tenantId, environment: "sandbox" }) as const;

beforeAll(async () => {
  mails = await startMailServer();
  service = await startTestService({
    SMTP_URL: mails.url,
    MAIL_FROM: "wayfare@example.com",
    CLAIMS_PER_MINUTE: "100000",
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mails?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  mails.received.length = 0;
});

interface Somebody {
  id: string;
  email: string;
  browser: BrowserLike;
}

async function newPerson(...roles: [PersonRole, ...PersonRole[]]): Promise<Somebody> {
  made += 1;
  const person = { id: `user_m${made}`, name: `Member ${made}`, email: `member${made}@example.com`, roles };
  await service.operator(({ persons }) => persons.add(sandbox(), person, "test"));
  const browser = await signedInBrowser(service, person.id);
  // Their sessions have a key from the first request on.
  expect((await browser.send("/api/sessions")).status).toBe(200);
  return { id: person.id, email: person.email, browser };
}

const change = async (
  { browser }: Pick<Somebody, "browser">,
  method: "POST" | "DELETE",
  path: string,
  json?: unknown,
) => {
  const headers = { "x-csrf-token": csrfToken(browser.session ?? "") };
  const { status, text } = await browser.send(path, { method, headers, ...(json === undefined ? {} : { json }) });
  return { status, body: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) };
};
const setRoles = (by: Somebody, id: string, ...roles: PersonRole[]) =>
  change(by, "POST", `/api/members/${id}/roles`, { roles });
const remove = (by: Somebody, id: string) => change(by, "DELETE", `/api/members/${id}`);
const Members = z.object({
  members: z.array(z.object({ memberId: z.string(), email: z.string(), state: z.string() })),
});
const list = async ({ browser }: Somebody) =>
  Members.parse(JSON.parse((await browser.send("/api/members")).text)).members;

async function mailedLink(email: string): Promise<string> {
  const mail = await until(async () => mails.received.find(({ to }) => to.includes(email)));
  const link = /http\S+\/sign-in\/link\/\S+/.exec(mail.parsed.text ?? "")?.[0] ?? "";
  expect(link.startsWith(service.appUrl)).toBe(true);
  return link.slice(service.appUrl.length);
}

describe("an invitation", () => {
  it("is mailed, works once, and makes a member with the roles that it names", async () => {
    const owner = await newPerson("owner");
    const email = "invited@example.com";
    const { status, body } = await change(owner, "POST", "/api/members", { name: "Iris", email, roles: ["admin"] });
    expect([status, body.link]).toEqual([200, null]);
    expect((await list(owner)).find((one) => one.email === email)?.state).toBe("invited");
    const link = await mailedLink(email);
    const browser = new BrowserLike(service);
    const page = await browser.send(link);
    expect(page.text).toContain("invites you");
    expect((await browser.submit(link, page)).status).toBe(303);
    expect((await browser.send("/api/members")).status).toBe(200);
    expect((await list(owner)).find((one) => one.email === email)?.state).toBe("active");
    expect((await new BrowserLike(service).send(link)).status).toBe(404);
    const again = await change(owner, "POST", "/api/members", { name: "Iris", email, roles: ["traveler"] });
    expect(again.status).toBe(409);
    const memberId = (await list(owner)).find((one) => one.email === email)?.memberId ?? "";
    expect((await change(owner, "POST", `/api/members/${memberId}/invitation`)).status, "signed in already").toBe(409);
  });

  it("ends after a week, when another one is sent, and with the member", async () => {
    const owner = await newPerson("owner");
    const email = "late@example.com";
    const invited = await change(owner, "POST", "/api/members", { name: "Late", email, roles: ["traveler"] });
    const { memberId } = z.object({ memberId: z.string() }).parse(invited.body.member);
    const first = await mailedLink(email);
    mails.received.length = 0;
    expect((await change(owner, "POST", `/api/members/${memberId}/invitation`)).status).toBe(200);
    const second = await mailedLink(email);
    expect((await new BrowserLike(service).send(first)).status).toBe(404);
    expect((await new BrowserLike(service).send(second)).status).toBe(200);
    const [row] = await service.sql(
      "select extract(epoch from expires_at - created_at) / 86400 as days from sign_in_link where person_id = $1 and used_at is null",
      [memberId],
    );
    expect(Math.round(Number(row?.days))).toBe(7);
    await remove(owner, memberId);
    expect((await new BrowserLike(service).send(second)).status).toBe(404);
  });

  it("is shown to who invites only where there is no mail server, and proves this tenant only", async () => {
    const silent = await startTestService();
    try {
      const answer = await silent.send("/api/members", {
        method: "POST",
        headers: { authorization: `Bearer ${silent.operatorKey}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Shown", email: "shown@example.com", roles: ["traveler"] }),
      });
      const link = z.string().parse(answer.body.link);
      const browser = new BrowserLike(silent);
      const path = link.slice(silent.appUrl.length);
      expect((await browser.submit(path, await browser.send(path))).status).toBe(303);
      const [session] = await silent.sql(
        "select proves_address from sign_in_session s join person p on p.id = s.person_id where p.email = 'shown@example.com'",
      );
      expect(session?.proves_address).toBe(false);
    } finally {
      await silent[Symbol.asyncDispose]();
    }
  });
});

describe("owners", () => {
  it("are made, changed and removed by owners only, and the last one stays", async () => {
    const [owner, admin, other] = [await newPerson("owner"), await newPerson("admin"), await newPerson("traveler")];
    for (const one of await list(owner)) {
      if (![owner.id, admin.id, other.id].includes(one.memberId)) await remove(owner, one.memberId);
    }
    expect((await setRoles(admin, other.id, "owner")).status).toBe(409);
    expect((await setRoles(admin, owner.id, "traveler")).status).toBe(409);
    expect((await remove(admin, owner.id)).status).toBe(409);
    expect((await setRoles(owner, owner.id, "admin")).status, "the last one").toBe(409);
    expect((await remove(owner, owner.id)).status, "the last one").toBe(409);
    const invited = { name: "Not yet", email: "not-yet@example.com", roles: ["owner"] };
    expect((await change(owner, "POST", "/api/members", invited)).status).toBe(200);
    expect((await remove(owner, owner.id)).status, "the other one has not signed in").toBe(409);
    expect((await setRoles(owner, other.id, "owner")).status).toBe(200);
    // Both leave at once: one of them stays.
    const left = await Promise.all([remove(owner, owner.id), remove(other, other.id)]);
    expect(left.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("give no more than they have, and members without the scope see nobody", async () => {
    const traveler = await newPerson("traveler");
    expect((await traveler.browser.send("/api/members")).status).toBe(403);
    const small = await service.operator(({ mintKey }) =>
      mintKey({ ...sandbox(), personId: traveler.id, scopes: ["members:administer", "flights:read"], actor: "test" }),
    );
    const invite = (roles: readonly PersonRole[]) =>
      service.send("/api/members", {
        method: "POST",
        headers: { authorization: `Bearer ${small.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "More", email: "more@example.com", roles }),
      });
    expect((await invite(["admin"])).body.code).toBe("invalid_input");
    expect((await invite(["approver"])).body.code).toBe("invalid_input");
  });
});

it("a change of roles reaches the sessions and the connected agents at once, and so does the removal", async () => {
  const [owner, member] = [await newPerson("owner"), await newPerson("admin")];
  const program = await OauthProgram.registered(service);
  const { access_token: token } = await program.connect(member.browser);
  const reads = async () => {
    const tools = await program.call(token, "list_usage");
    return { session: (await member.browser.send("/api/keys")).status, agent: tools.status, said: tools.text };
  };
  expect(await reads()).toMatchObject({ session: 200, agent: 200 });
  expect((await reads()).said).not.toContain("missing_scope");
  expect((await setRoles(owner, member.id, "approver")).status).toBe(200);
  expect((await member.browser.send("/api/keys")).status).toBe(403);
  const send = await program.call(token, "send_tokens", { to: `0x${"7".repeat(40)}`, amount: "1", token: "USDC" });
  expect(send.text).toContain("missing_scope");
  expect((await remove(owner, member.id)).status).toBe(200);
  expect(await reads()).toMatchObject({ session: 401, agent: 401 });
});
