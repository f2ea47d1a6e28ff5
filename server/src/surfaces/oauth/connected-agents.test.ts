import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import type { BrowserLike } from "../../../test/support/browser-like.ts";
import { ALLOW, openConsent, signedInBrowser } from "../../../test/support/oauth-clients.ts";
import { OauthProgram } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { stranger } from "../../../test/support/treasury.ts";
import type { PersonRole } from "../../modules/identity/index.ts";

let service: TestService;
let program: OauthProgram;
let made = 0;
const sandbox = () => ({ tenantId: service.tenantId, environment: "sandbox" }) as const;

beforeAll(async () => {
  service = await startTestService({ CLAIMS_PER_MINUTE: "100000" });
  await service.isFunded(service.tenantId);
  program = await OauthProgram.registered(service, { client_name: "Desk\u202e assistant" });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function newPerson(...roles: [PersonRole, ...PersonRole[]]): Promise<{ id: string; browser: BrowserLike }> {
  made += 1;
  const id = `user_c${made}`;
  const person = { id, name: `Person ${made}`, email: `connected${made}@example.com`, roles };
  await service.operator(({ persons }) => persons.add(sandbox(), person, "test"));
  return { id, browser: await signedInBrowser(service, id) };
}

const code = (text: string): unknown =>
  JSON.parse(
    z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) }).parse(JSON.parse(text)).result
      .content[0]?.text ?? "{}",
  ).code;
const spend = (token: string, amount: string) =>
  program.call(token, "send_tokens", { to: stranger(), amount, token: "USDC" });
const readScopes = async (personId: string) =>
  (await service.sql("select scopes, kind from api_key where person_id = $1 and kind = 'grant'", [personId]))[0]
    ?.scopes;

describe("an agent that a person has connected", () => {
  it("has what the person ticked, never what only a person may hold", async () => {
    const { id, browser } = await newPerson("owner");
    const ticked = { answer: "allow", days: "30", scope: "account:read" };
    const tokens = await program.connect(browser, { scope: "account:read treasury:spend approvals:decide" }, ticked);
    expect(await readScopes(id)).toEqual(["account:read"]);
    expect((await program.call(tokens.access_token, "read_account")).status).toBe(200);
    expect(code((await spend(tokens.access_token, "1")).text)).toBe("missing_scope");
    const { answer, page } = await openConsent(browser, program.url({ scope: "account:read" }));
    expect(page.text).not.toContain("approvals:decide");
    for (const scope of ["approvals:decide", "keys:administer", "treasury:spend", "*"]) {
      expect((await answer({ answer: "allow", days: "30", scope })).status, scope).toBe(400);
    }
    const all = await newPerson("owner");
    await program.connect(all.browser);
    const scopes = z.array(z.string()).parse(await readScopes(all.id));
    expect(scopes).toContain("*");
    expect(scopes.filter((scope) => /administer|decide/.test(scope))).toEqual([]);
  });

  it("is bound by the limits and the end that the person set", async () => {
    const { id, browser } = await newPerson("admin");
    const { page, answer } = await openConsent(browser, program.url());
    expect(page.text).toContain("Desk assistant asks to act for you");
    expect((await answer({ ...ALLOW, perCall: "a lot" })).status).toBe(400);
    expect((await answer({ ...ALLOW, days: "9999" })).status).toBe(400);
    const tokens = await program.connect(browser, {}, { ...ALLOW, perCall: "2", perDay: "3", days: "7" });
    expect(code((await spend(tokens.access_token, "2.5")).text)).toBe("spend_limit_exceeded");
    expect(code((await spend(tokens.access_token, "2")).text)).toBeUndefined();
    expect(code((await spend(tokens.access_token, "1.5")).text)).toBe("spend_limit_exceeded");
    const [key] = await service.sql("select id, expires_at from api_key where person_id = $1 and kind = 'grant'", [id]);
    const end = Temporal.Instant.from(z.coerce.date().parse(key?.expires_at).toISOString());
    expect(Math.round(end.since(Temporal.Now.instant()).total("hours") / 24)).toBe(7);
    await service.sql("update api_key set expires_at = now() where id = $1", [key?.id]);
    expect((await program.call(tokens.access_token, "read_account")).status).toBe(401);
    expect((await program.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("follows its person's roles at once, and ends with the person", async () => {
    const { id, browser } = await newPerson("admin");
    const { access_token: token, refresh_token: refresh } = await program.connect(browser);
    expect(code((await spend(token, "1")).text)).toBeUndefined();
    const setRoles = (...roles: PersonRole[]) =>
      service.operator(({ persons }) => persons.setRoles(sandbox(), id, roles, "test"));
    await setRoles("auditor");
    expect(code((await spend(token, "1")).text)).toBe("missing_scope");
    expect((await program.call(token, "read_account")).status).toBe(200);
    await setRoles("admin");
    expect(code((await spend(token, "1")).text), "the person still allows it").toBeUndefined();
    await service.operator(({ persons }) => persons.remove(sandbox(), id, "test"));
    expect((await spend(token, "1")).status).toBe(401);
    expect((await program.refresh(refresh)).body.error).toBe("invalid_grant");
  });

  it("asks for an approval that its own person cannot give", async () => {
    const desk = new ApprovalDesk(service);
    const grace = await desk.newPerson("Grace", "approver");
    const { id, browser } = await newPerson("admin", "approver");
    const own = await service.operator(({ mintKey }) =>
      mintKey({ ...sandbox(), personId: id, scopes: ["*", "approvals:decide"], actor: "test" }),
    );
    const { access_token: token } = await program.connect(browser);
    await desk.enforce({});
    const asked = JSON.parse((await spend(token, "5")).text).result.content[0].text;
    const { approvalId, code: refused } = JSON.parse(asked);
    expect(refused).toBe("approval_required");
    const approve = { decision: "approve" };
    expect((await desk.decide(approvalId, approve, own.apiKey)).body.code).toBe("may_not_decide");
    expect((await desk.decide(approvalId, approve, grace.key)).status).toBe(200);
    await desk.ask("/api/policy-enforcement", { policyId: null }, service.operatorKey, "PUT");
  });

  it("is listed for its person, and for who administers keys, and ended by them", async () => {
    const [one, two] = [await newPerson("traveler"), await newPerson("traveler")];
    const tokens = await program.connect(one.browser);
    await program.connect(two.browser);
    const list = async (browser: BrowserLike) =>
      z
        .object({ agents: z.array(z.object({ connectionId: z.string(), personId: z.string(), name: z.string() })) })
        .parse(JSON.parse((await browser.send("/api/connected-agents")).text)).agents;
    const [own, ...others] = await list(one.browser);
    expect(others).toEqual([]);
    expect(own).toMatchObject({ personId: one.id, name: "Desk assistant" });
    const admin = await newPerson("admin");
    const all = (await list(admin.browser)).map(({ personId }) => personId);
    expect(all).toEqual(expect.arrayContaining([one.id, two.id]));
    await service.send(`/api/connected-agents/${own?.connectionId}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${service.operatorKey}` },
    });
    expect((await program.call(tokens.access_token, "read_account")).status).toBe(401);
    expect(await list(one.browser)).toEqual([]);
  });

  it("works at the MCP endpoint only", async () => {
    const { browser } = await newPerson("admin");
    const { access_token: token } = await program.connect(browser);
    expect((await service.call("read_account", {}, { key: token })).status).toBe(401);
    expect((await service.send("/api/keys", { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect((await program.call(token, "read_account")).status).toBe(200);
  });

  it("acts in the tenant that the person chose", async () => {
    const { id, browser } = await newPerson("admin");
    const [row] = await service.sql("select email from person where id = $1", [id]);
    const otherId = await service.operator(async ({ createTenant, persons }) => {
      const { tenant } = await createTenant({ name: "Second tenant", actor: "test" });
      const person = { id: "user_second", name: "Second", email: String(row?.email), roles: ["admin"] } as const;
      await persons.add({ tenantId: tenant.id, environment: "sandbox" }, person, "test");
      return tenant.id;
    });
    const { page, path } = await openConsent(browser, program.url());
    expect(page.text).toContain("Second tenant");
    const chosen = await browser.send(`${path}?tenant=${otherId}/sandbox`);
    const answered = await browser.submit(path, chosen, ALLOW);
    expect(answered.status).toBe(303);
    const [connected] = await service.sql("select tenant_id from connected_agent where person_id = 'user_second'");
    expect(connected?.tenant_id).toBe(otherId);
  });
});
