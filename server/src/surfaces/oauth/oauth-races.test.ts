import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { BrowserLike } from "../../../test/support/browser-like.ts";
import { ALLOW, followToClient, openConsent, signedInBrowser } from "../../../test/support/oauth-clients.ts";
import { OauthProgram } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { PersonRole } from "../../modules/identity/index.ts";

let service: TestService;
let program: OauthProgram;
let made = 0;
const sandbox = () => ({ tenantId: service.tenantId, environment: "sandbox" }) as const;

beforeAll(async () => {
  service = await startTestService({ CLAIMS_PER_MINUTE: "100000" });
  program = await OauthProgram.registered(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function newPerson(...roles: [PersonRole, ...PersonRole[]]): Promise<{ id: string; browser: BrowserLike }> {
  made += 1;
  const person = { id: `user_race${made}`, name: "Ada", email: `race${made}@example.com`, roles };
  await service.operator(({ persons }) => persons.add(sandbox(), person, "test"));
  return { id: person.id, browser: await signedInBrowser(service, person.id) };
}

const works = async (token: unknown) => (await program.call(z.string().parse(token), "read_account")).status === 200;

it("a code that is sent many times at once works at most once, and then ends its connection", async () => {
  const { browser } = await newPerson("admin");
  const { code } = await program.ask(browser);
  const answers = await Promise.all(Array.from({ length: 8 }, () => program.redeem(code)));
  const given = answers.filter(({ status }) => status === 200);
  expect(given.length).toBeLessThanOrEqual(1);
  for (const { body } of answers.filter(({ status }) => status !== 200)) expect(body.error).toBe("invalid_grant");
  for (const { body } of given) expect(await works(body.access_token)).toBe(false);
});

it("no token of a refresh that was under way outlives the end of its connection", async () => {
  const { id, browser } = await newPerson("admin");
  const tokens = await program.connect(browser);
  const [row] = await service.sql("select id from connected_agent where person_id = $1", [id]);
  const end = service.send(`/api/connected-agents/${row?.id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${service.operatorKey}` },
  });
  const refreshes = Promise.all(Array.from({ length: 8 }, () => program.refresh(tokens.refresh_token)));
  expect((await end).status).toBe(200);
  const given = (await refreshes).filter(({ status }) => status === 200).map(({ body }) => body);
  for (const all of [tokens, ...given]) {
    expect(await works(all.access_token)).toBe(false);
    const again = await program.refresh(z.string().parse(all.refresh_token));
    expect([again.status, again.body.error]).toEqual([400, "invalid_grant"]);
  }
});

it("a role that is taken away while its person looks at the form allows nothing any more", async () => {
  const { id, browser } = await newPerson("admin");
  const { page, path } = await openConsent(browser, program.url({ scope: "treasury:spend account:read" }));
  expect(page.text).toContain("treasury:spend");
  await service.operator(({ persons }) => persons.setRoles(sandbox(), id, ["auditor"], "test"));
  const spending = { answer: "allow", days: "30", scope: "treasury:spend" };
  expect((await browser.submit(path, page, spending)).status).toBe(400);
  const answered = await browser.submit(path, page, { ...spending, scope: "account:read" });
  const code = (await followToClient(browser, answered)).searchParams.get("code") ?? "";
  expect((await program.redeem(code)).status).toBe(200);
  const [key] = await service.sql("select scopes from api_key where person_id = $1 and kind = 'grant'", [id]);
  expect(z.array(z.string()).parse(key?.scopes)).not.toContain("treasury:spend");
});

it("a person who leaves while they look at the form allows nothing", async () => {
  const { id, browser } = await newPerson("admin");
  const { page, path } = await openConsent(browser, program.url());
  await service.operator(({ persons }) => persons.remove(sandbox(), id, "test"));
  expect((await browser.submit(path, page, ALLOW)).location).toMatch(/^\/sign-in\?next=/);
  expect(await service.sql("select id from connected_agent where person_id = $1", [id])).toEqual([]);
});

it("the form needs the cookie of the browser that began, also in the same person's other browser", async () => {
  const { id, browser } = await newPerson("admin");
  const { page, path } = await openConsent(browser, program.url());
  const other = await signedInBrowser(service, id);
  expect((await other.send(path)).status).toBe(404);
  expect((await other.submit(path, page, ALLOW)).status).toBe(404);
  expect(await service.sql("select id from connected_agent where person_id = $1", [id])).toEqual([]);
  expect((await browser.submit(path, page, ALLOW)).status).toBe(303);
});
