import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { BrowserLike } from "../../../test/support/browser-like.ts";
import { createManualClock } from "../../../test/support/identity.ts";
import { ALLOW, followToClient, openConsent, signedInBrowser } from "../../../test/support/oauth-clients.ts";
import { OauthProgram, REDIRECT, register } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

const clock = createManualClock(Temporal.Now.instant().toString());
let service: TestService;
let program: OauthProgram;
let browser: BrowserLike;
const person = { id: "user_attacked", name: "Ada", email: "ada-attacked@example.com", roles: ["admin"] } as const;
const other = { id: "user_other", name: "Olga", email: "olga-other@example.com", roles: ["admin"] } as const;

beforeAll(async () => {
  service = await startTestService({ CLAIMS_PER_MINUTE: "100000" }, { clock });
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  await service.operator(async ({ persons }) => {
    await persons.add(owner, person, "test");
    await persons.add(owner, other, "test");
  });
  program = await OauthProgram.registered(service);
  browser = await signedInBrowser(service, person.id);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const works = async (token: string) => (await program.call(token, "read_account")).status === 200;
const countConnections = async () => {
  const [row] = await service.sql("select count(*)::int as count from connected_agent where person_id = $1", [
    person.id,
  ]);
  return Number(row?.count);
};

describe("a request for an authorization", () => {
  it("sends nobody to an address that the program has not registered", async () => {
    for (const redirect_uri of [
      "https://evil.example/callback",
      "http://127.0.0.1:33418/other",
      "http://127.0.0.1.evil.example/callback",
      `${REDIRECT}?next=https://evil.example`,
    ]) {
      const url = program.url({ redirect_uri });
      const answer = await browser.send(`${url.pathname}${url.search}`);
      expect([answer.status, answer.location], redirect_uri).toEqual([400, undefined]);
    }
    const ownPort = program.url({ redirect_uri: "http://127.0.0.1:50999/callback" });
    expect((await browser.send(`${ownPort.pathname}${ownPort.search}`)).location).toMatch(/^\/oauth\/consent\//);
  });

  it("needs a challenge by SHA-256", async () => {
    for (const fields of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge_method: "plain" },
      { response_type: "token" },
    ]) {
      const url = program.url(fields);
      const { location = "" } = await browser.send(`${url.pathname}${url.search}`);
      expect(location, JSON.stringify(fields)).toMatch(
        /^http:\/\/127\.0\.0\.1:33418\/callback[?#](?:.*&)?error=(?:invalid_request|unsupported_response_type)&/,
      );
    }
  });

  it("gets no token for an endpoint of somebody else", async () => {
    const { port } = new URL(service.appUrl);
    for (const resource of [
      "https://evil.example/api/mcp",
      `${service.appUrl}/api/agent/dispatch`,
      `https://127.0.0.1:${port}/api/mcp`,
      `${service.appUrl}/api/mcp?x=1`,
    ]) {
      const url = program.url({ resource });
      const { location = "" } = await browser.send(`${url.pathname}${url.search}`);
      expect(new URL(location, service.appUrl).searchParams.get("error"), resource).toBe("invalid_target");
    }
    const { code } = await program.ask(browser);
    const { status, body } = await program.redeem(code, { resource: `${service.edgeUrl}/mcp` });
    expect([status, body.error]).toEqual([400, "invalid_target"]);
  });
});

describe("a code", () => {
  it("works once, and ends the connection when it is sent again", async () => {
    const { code } = await program.ask(browser);
    const first = await program.redeem(code);
    const token = z.string().parse(first.body.access_token);
    expect(await works(token)).toBe(true);
    expect((await program.redeem(code)).body.error).toBe("invalid_grant");
    expect(await works(token)).toBe(false);
  });

  it("needs its verifier, its address and its program", async () => {
    const stranger = await OauthProgram.registered(service);
    for (const redeem of [
      (code: string) => program.redeem(code, { code_verifier: "w".repeat(43) }),
      (code: string) => program.redeem(code, { code_verifier: undefined }),
      (code: string) => program.redeem(code, { redirect_uri: "http://127.0.0.1:1/callback" }),
      (code: string) => program.redeem(code, { client_id: stranger.id }),
    ]) {
      const { code } = await program.ask(browser);
      expect((await redeem(code)).body.error).toBe("invalid_grant");
    }
    const { code } = await program.ask(browser);
    expect((await program.redeem(code)).status).toBe(200);
  });
});

describe("the consent page", () => {
  it("is framed by nobody, runs no script, and leads only back to the program", async () => {
    const { page } = await openConsent(browser, program.url());
    const policy = page.headers.get("content-security-policy");
    for (const part of ["frame-ancestors 'none'", "script-src 'none'", "form-action 'self' http://127.0.0.1:33418"]) {
      expect(policy).toContain(part);
    }
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain("nobody has verified the name");
  });

  it("takes no form of another page, another session or another site", async () => {
    const { path, page, answer } = await openConsent(browser, program.url());
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const tenant = `${service.tenantId}/sandbox`;
    const post = (form: Record<string, string>, headers: Record<string, string | undefined> = {}) =>
      browser.send(path, { method: "POST", form: { ...ALLOW, tenant, ...form }, headers });
    const foreign = (await openConsent(await signedInBrowser(service, other.id), program.url())).page;
    const before = await countConnections();
    for (const sent of [
      () => post({}),
      () => post({ csrf: /name="csrf" value="([^"]+)"/.exec(foreign.text)?.[1] ?? "" }),
      () => post({ csrf }, { origin: "https://evil.example" }),
      () => post({ csrf }, { origin: "http://127.0.0.1:1" }),
      () => post({ csrf }, { origin: undefined }),
      () => post({ csrf }, { "sec-fetch-site": "same-site" }),
    ]) {
      expect((await sent()).status).toBe(403);
    }
    expect(await countConnections()).toBe(before);
    expect((await answer()).status).toBe(303);
    expect(await countConnections()).toBe(before + 1);
  });

  it("opens in the browser that began, and its code comes to the person who allowed it only", async () => {
    const attacker = await signedInBrowser(service, other.id);
    const begun = await openConsent(attacker, program.url());
    expect((await browser.send(begun.path)).status, "a link that somebody was sent").toBe(404);
    // A page of a neighbouring host could set the cookie of the request, too.
    const victim = await signedInBrowser(service, person.id);
    for (const [name, value] of attacker.cookies) {
      if (name.includes("oauth_interaction")) victim.cookies.set(name, value);
    }
    const answered = await victim.submit(begun.path, await victim.send(begun.path), ALLOW);
    expect(answered.status).toBe(303);
    const resumed = await attacker.send(answered.location ?? "");
    expect([resumed.status, resumed.location]).toEqual([403, undefined]);
    const own = await openConsent(victim, program.url());
    expect((await followToClient(victim, await own.answer())).searchParams.has("code")).toBe(true);
  });

  it("asks to sign in first, and again if that was long ago", async () => {
    const nobody = new BrowserLike(service);
    const { page } = await openConsent(nobody, program.url());
    expect(page.location).toMatch(/^\/sign-in\?next=%2Foauth%2Fconsent%2F/);
    const long = await signedInBrowser(service, person.id);
    clock.advance({ minutes: 16 });
    const again = await openConsent(long, program.url());
    expect(again.page.location).toMatch(/^\/sign-in\?again=1&next=%2Foauth%2Fconsent%2F/);
    browser = await signedInBrowser(service, person.id);
    expect((await openConsent(browser, program.url())).page.status).toBe(200);
  });
});

describe("a refresh token", () => {
  it("may be sent again for two minutes; after that its connection ends, whoever sent it", async () => {
    const tokens = await program.connect(browser);
    const next = await program.refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    clock.advance({ minutes: 1 });
    const repeated = await program.refresh(tokens.refresh_token);
    expect(repeated.status, "its answer was lost").toBe(200);
    const token = z.string().parse(repeated.body.access_token);
    expect(await works(token)).toBe(true);
    clock.advance({ minutes: 2 });
    expect((await program.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await works(token)).toBe(false);
    expect((await program.refresh(z.string().parse(next.body.refresh_token))).body.error).toBe("invalid_grant");
    const [line] = await service.sql(
      "select a.actor from audit_log a join connected_agent c on a.subject_id = c.key_id where a.action = 'key.revoke' and c.person_id = $1 order by a.at desc limit 1",
      [person.id],
    );
    expect(line?.actor).toBe("job:authorization");
  });

  it("is of no use to another program", async () => {
    const tokens = await program.connect(browser);
    const stranger = await OauthProgram.registered(service);
    expect((await stranger.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect((await program.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("a program whose id is an address", () => {
  it("makes the service ask no address of its own network", async () => {
    let asked = 0;
    const inside = createServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    const address = inside.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      "169.254.169.254",
      "10.0.0.1",
    ]) {
      const url = new OauthProgram(service, `https://${host}/client.json`).url();
      const answer = await browser.send(`${url.pathname}${url.search}`);
      expect([answer.status, answer.location], host).toEqual([400, undefined]);
    }
    expect(asked).toBe(0);
    await new Promise((resolve) => inside.close(resolve));
  });
});

it("another tenant's connection is not found, and goes on", async () => {
  clock.advance({ minutes: 1 });
  const tokens = await program.connect(browser);
  const [row] = await service.sql("select id from connected_agent order by created_at desc limit 1");
  const stranger = await service.operator(async ({ createTenant, persons, mintKey }) => {
    const { tenant } = await createTenant({ name: "Stranger", actor: "test" });
    const owner = { tenantId: tenant.id, environment: "sandbox" } as const;
    await persons.add(owner, { ...person, id: "user_stranger" }, "test");
    return (await mintKey({ ...owner, personId: "user_stranger", scopes: ["*", "keys:administer"], actor: "test" }))
      .apiKey;
  });
  const end = (key: string) =>
    service.send(`/api/connected-agents/${row?.id}`, { method: "DELETE", headers: { authorization: `Bearer ${key}` } });
  expect((await end(stranger)).status).toBe(404);
  expect((await end(service.apiKey)).status, "an agent's key").toBe(404);
  expect(await works(tokens.access_token)).toBe(true);
  expect((await end(service.operatorKey)).status).toBe(200);
  const refused = await program.call(tokens.access_token, "read_account");
  expect(refused.status).toBe(401);
  expect(refused.challenge).toContain("/.well-known/oauth-protected-resource/api/mcp");
  expect((await program.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
});

it("programs register at a bounded rate, and in a bounded number", async () => {
  const limited = await startTestService({ CLAIMS_PER_MINUTE: "3" });
  try {
    const statuses = [];
    for (let sent = 0; sent < 4; sent += 1) {
      statuses.push((await register(limited, { redirect_uris: [REDIRECT] })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429]);
  } finally {
    await limited[Symbol.asyncDispose]();
  }
  await service.sql("insert into authorization_client select 'flood' || n, '{}', $1 from generate_series(1, 10000) n", [
    clock.now().toString(),
  ]);
  const full = await register(service, { redirect_uris: [REDIRECT] });
  expect([full.status, full.body.error]).toEqual([503, "temporarily_unavailable"]);
  clock.advance({ hours: 25 });
  expect((await register(service, { redirect_uris: [REDIRECT] })).status, "those that nobody connected are gone").toBe(
    201,
  );
});

describe("the token endpoint", () => {
  it("takes so many wrong codes of an address, and so many requests", async () => {
    const limited = await startTestService({ REFUSED_KEYS_PER_MINUTE: "4", RATE_LIMIT_BURST: "12" }, { clock });
    try {
      const guesser = await OauthProgram.registered(limited);
      const statuses = [];
      for (let sent = 0; sent < 6; sent += 1) statuses.push((await guesser.redeem(`guess-${sent}`)).status);
      expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
      const { body } = await guesser.refresh("guess");
      expect(body.error).toBe("temporarily_unavailable");
      const first = await fetch(`${limited.appUrl}/oauth/register/nobody`);
      expect(first.status, "nor is another endpoint of the same kind a way around it").toBe(429);
      clock.advance({ minutes: 1 });
      expect((await guesser.redeem("guess")).status, "the limit is one of a minute").toBe(400);
    } finally {
      await limited[Symbol.asyncDispose]();
    }
  });
});
