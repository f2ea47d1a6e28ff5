import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allowInBrowser,
  KeptAuthorization,
  oauthClientKinds,
  openOauthClient,
  signedInBrowser,
} from "../../../test/support/oauth-clients.ts";
import { OauthProgram, REDIRECT, register } from "../../../test/support/oauth-program.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";

let service: TestService;
const person = { id: "user_facts", name: "Ada", email: "ada-facts@example.com", roles: ["admin"] } as const;
beforeAll(async () => {
  // Registrations count by address, and all of these come from one.
  service = await startTestService(
    { CLAIMS_PER_MINUTE: "100000" },
    { decorate: { fetchMetadata: () => async (url: string) => new TextEncoder().encode(documents.get(url) ?? "") } },
  );
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  await service.operator(({ persons }) => persons.add(owner, person, "test"));
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** The documents of programs whose ids are addresses, by address. */
const documents = new Map<string, string>();

const read = async (url: string, headers = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
};

describe("the metadata of the authorization server", () => {
  it("says what clients look for before they go on", async () => {
    const { body } = await read(`${service.appUrl}/.well-known/oauth-authorization-server`);
    expect(body).toMatchObject({
      issuer: service.appUrl,
      authorization_endpoint: `${service.appUrl}/oauth/authorize`,
      token_endpoint: `${service.appUrl}/oauth/token`,
      registration_endpoint: `${service.appUrl}/oauth/register`,
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ["code"],
      scopes_supported: expect.arrayContaining(["offline_access", "flights:read", "*"]),
    });
    expect(body.grant_types_supported).toEqual(expect.arrayContaining(["authorization_code", "refresh_token"]));
    for (const scope of ["approvals:decide", "keys:administer", "policy:administer"]) {
      expect(body.scopes_supported).not.toContain(scope);
    }
    expect(body).not.toHaveProperty("pushed_authorization_request_endpoint");
    expect(body).not.toHaveProperty("dpop_signing_alg_values_supported");
  });
});

describe.each(["app", "edge"] as const)("the MCP endpoint of the %s host", (name) => {
  const place = () => (name === "app" ? [service.appUrl, "/api/mcp"] : [service.edgeUrl, "/mcp"]);
  const askWith = async (token: string, headers = {}) => {
    const [url, path] = place();
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "" };
  };

  it("refuses with a challenge that leads to its metadata, and that to the authorization server", async () => {
    const [url, path] = place();
    for (const token of ["x".repeat(48), `ak_${"x".repeat(40)}`]) {
      const { status, challenge } = await askWith(token);
      expect(status).toBe(401);
      const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
      expect(address).toBe(`${url}/.well-known/oauth-protected-resource${path}`);
      expect(challenge).toContain('error="invalid_token"');
      expect(challenge).not.toContain("offline_access");
      const { body } = await read(address);
      expect(body).toMatchObject({ resource: `${url}${path}`, authorization_servers: [service.appUrl] });
      expect(body.scopes_supported).not.toContain("offline_access");
      expect((await read(`${url}/.well-known/oauth-protected-resource`)).body).toEqual(body);
    }
  });

  it("names itself by the host name that the client was given", async () => {
    const [url = "", path] = place();
    const { port } = new URL(url);
    const { body } = await read(`http://localhost:${port}/.well-known/oauth-protected-resource${path}`);
    expect(body).toMatchObject({
      resource: `http://localhost:${port}${path}`,
      authorization_servers: [service.appUrl],
    });
  });

  it("takes a token that was asked for with its address, and no token of another one", async () => {
    const [url, path] = place();
    const resource = `${url}${path}`;
    const browser = await signedInBrowser(service, person.id);
    const program = await OauthProgram.registered(service);
    const tokens = await program.connect(browser, { resource });
    expect((await askWith(tokens.access_token)).status).toBe(200);
    const other = name === "app" ? `${service.edgeUrl}/mcp` : `${service.appUrl}/api/mcp`;
    const others = await program.connect(browser, { resource: other });
    expect((await askWith(others.access_token)).status).toBe(401);
  });
});

describe("a program that registers itself", () => {
  it("is native if it listens on its own machine, also if it does not say so", async () => {
    const { status, body } = await register(service, { redirect_uris: [REDIRECT] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    });
    expect(body.registration_client_uri).toBe(`${service.appUrl}/oauth/register/${body.client_id}`);
    const authorization = `Bearer ${body.registration_access_token}`;
    const own = await read(String(body.registration_client_uri), { authorization });
    expect(own.body.client_id).toBe(body.client_id);
    const web = await register(service, { redirect_uris: ["https://agent.example/callback"] });
    expect(web.body.application_type).toBe("web");
  });

  it("is answered what it gets if it asks for more", async () => {
    const { status, body } = await register(service, {
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code", "client_credentials"],
      response_types: ["code", "token"],
      scope: "openid profile *",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ token_endpoint_auth_method: "none", grant_types: ["authorization_code"] });
    expect(body).not.toHaveProperty("client_secret");
    expect((await register(service, { redirect_uris: ["javascript:alert(1)"] })).status).toBe(400);
    expect(
      (await register(service, { redirect_uris: ["http://agent.example/callback"], application_type: "native" }))
        .status,
    ).toBe(400);
  });
});

describe("a program whose id is an address", () => {
  const id = "https://agent.example/client.json";
  const document = { client_id: id, client_name: "Agent by address", redirect_uris: [REDIRECT] };

  it("is described by the document there, and its host vouches for its name", async () => {
    documents.set(id, JSON.stringify({ ...document, token_endpoint_auth_method: "none", scope: "openid" }));
    const browser = await signedInBrowser(service, person.id);
    const program = new OauthProgram(service, id);
    const { page, code } = await program.ask(browser, { redirect_uri: "http://127.0.0.1:50123/callback" });
    expect(page.text).toContain("The name is given by agent.example");
    expect(page.text).not.toContain("nobody has verified");
    expect((await program.redeem(code, { redirect_uri: "http://127.0.0.1:50123/callback" })).status).toBe(200);
    const [row] = await service.sql("select client_host from connected_agent where client_id = $1", [id]);
    expect(row?.client_host).toBe("agent.example");
  });

  it("is refused with the document of another one, with a secret, or without any", async () => {
    const browser = await signedInBrowser(service, person.id);
    for (const [name, text] of Object.entries({
      "another.json": JSON.stringify(document),
      "secret.json": JSON.stringify({
        ...document,
        client_id: "https://agent.example/secret.json",
        client_secret: "x",
      }),
      "list.json": "[]",
      "none.json": "",
    })) {
      const address = `https://agent.example/${name}`;
      documents.set(address, text);
      const url = new OauthProgram(service, address).url();
      expect((await browser.send(`${url.pathname}${url.search}`)).status, name).toBe(400);
    }
  });

  it.each(oauthClientKinds)("is connected by the official client %s, which registers nothing", async (kind) => {
    documents.set(id, JSON.stringify({ ...document, token_endpoint_auth_method: "none" }));
    const [before] = await service.sql("select count(*)::int as count from authorization_client");
    const kept = Object.assign(new KeptAuthorization(), { clientMetadataUrl: id });
    const url = `${service.appUrl}/api/mcp`;
    const first = openOauthClient(url, kind, kept);
    await expect(first.connect()).rejects.toThrow();
    expect(kept.asked?.searchParams.get("client_id")).toBe(id);
    const browser = await signedInBrowser(service, person.id);
    const back = await allowInBrowser(browser, kept.asked ?? new URL("missing:"));
    await first.finish(back.searchParams.get("code") ?? "", service.appUrl);
    await (await openOauthClient(url, kind, kept).connect()).close();
    expect(await service.sql("select count(*)::int as count from authorization_client")).toEqual([before]);
  });
});

describe("tokens", () => {
  it("come with a refresh token, whatever the program asked for", async () => {
    const browser = await signedInBrowser(service, person.id);
    const program = await OauthProgram.registered(service);
    for (const scope of [undefined, "flights:read", "flights:read offline_access", "openid unheard:of"]) {
      const answer = { answer: "allow", days: "90", scope: "flights:read" };
      const tokens = await program.connect(browser, { scope }, answer);
      expect(tokens.scope).toBe("flights:read");
      expect(tokens.refresh_token, scope).toBeDefined();
      expect(tokens.token_type).toBe("Bearer");
    }
  });

  it("are for the application host's endpoint if the program names none", async () => {
    const browser = await signedInBrowser(service, person.id);
    const program = await OauthProgram.registered(service);
    const { access_token } = await program.connect(browser, { resource: undefined });
    expect((await program.call(access_token, "read_account")).status).toBe(200);
  });

  it("carry the issuer in the answer to the program (RFC 9207), and its state", async () => {
    const browser = await signedInBrowser(service, person.id);
    const program = await OauthProgram.registered(service);
    const { back } = await program.ask(browser, {}, { answer: "refuse" });
    expect(back.searchParams.get("error")).toBe("access_denied");
    expect(back.searchParams.get("iss")).toBe(service.appUrl);
    expect(back.searchParams.get("state")).toBe("own state");
    expect(back.searchParams.has("code")).toBe(false);
  });

  it("are stored as hashes only, and what their rows say is encrypted", async () => {
    const browser = await signedInBrowser(service, person.id);
    const program = await OauthProgram.registered(service);
    const tokens = await program.connect(browser);
    const rows = await service.sql("select * from authorization_row where key_id is not null");
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(2);
    for (const secret of [tokens.access_token, tokens.refresh_token ?? "", program.id, "accountId"]) {
      expect(text).not.toContain(secret);
    }
  });
});
