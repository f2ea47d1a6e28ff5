import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { registry } from "../../contributions.ts";
import { findFreePort } from "../../embedded/free-port.ts";
import { downloadRoutes } from "./downloads.ts";

const NOW = "2026-11-20T12:00:00Z";
let now = Temporal.Instant.from(NOW);

let service: TestService;
/** The service's actual address; its public addresses lead nowhere here. */
let address: string;
let plain: TestService;
beforeAll(async () => {
  const port = await findFreePort();
  address = `http://127.0.0.1:${port}`;
  service = await startTestService(
    {
      PORT: String(port),
      PUBLIC_APP_URL: "https://travel.example.com",
      PUBLIC_EDGE_URL: "https://edge.example.com:8443",
      SECURITY_CONTACT: "mailto:security@example.com",
      SECURITY_CONTACT_EXPIRES: "2027-06-30T00:00:00Z",
      RELEASE_DOWNLOADS_URL: "https://releases.example.com/latest/download/",
    },
    { clock: { now: () => now } },
  );
  plain = await openSharedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

const get = (path: string) => fetch(`${address}${path}`);

/** Conditions from schema.json of github.com/modelcontextprotocol/experimental-ext-server-card, commit 8924e08. */
const Input = z.strictObject({
  description: z.string().optional(),
  format: z.enum(["boolean", "filepath", "number", "string"]).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
  default: z.string().optional(),
  choices: z.array(z.string()).optional(),
  value: z.string().optional(),
});
const Header = Input.extend({ name: z.string(), variables: z.record(z.string(), Input).optional() });
const Remote = z.strictObject({
  type: z.enum(["sse", "streamable-http"]),
  url: z.string().regex(/^https?:\/\/[^\s]+$/),
  headers: z.array(Header).optional(),
});
const identity = {
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url(),
};
const ServerCard = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"),
  ...identity,
  remotes: z.array(Remote.extend({ supportedProtocolVersions: z.array(z.string()).min(1) })).min(1),
});
/** Conditions from internal/validators/schemas/2025-12-11.json of github.com/modelcontextprotocol/registry, commit e361b5f. */
const RegistryEntry = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  ...identity,
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal("mcpb"),
        identifier: z.url(),
        fileSha256: z.string().regex(/^[0-9a-f]{64}$/),
        transport: z.strictObject({ type: z.literal("stdio") }),
      }),
    )
    .optional(),
  remotes: z.array(Remote).min(1),
});

describe("the MCP server card", () => {
  test.each(["/api/mcp/server-card", "/.well-known/mcp/server-card.json"])(
    "is at %s, as its schema wants it",
    async (path) => {
      const answer = await get(path);
      expect(answer.headers.get("content-type")).toBe("application/mcp-server-card+json");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("cache-control")).toBe("max-age=3600");
      const card = ServerCard.parse(await answer.json());
      expect(card.name).toBe("com.example.travel/wayfare");
      expect(card.remotes.map(({ url }) => url)).toEqual([
        "https://travel.example.com/api/mcp",
        "https://edge.example.com:8443/mcp",
      ]);
      expect(card.remotes[0]?.headers?.[0]).toMatchObject({ name: "Authorization", isSecret: true, isRequired: true });
    },
  );

  test("is also beside the edge host's endpoint", async () => {
    const answer = await fetch(`${plain.edgeUrl}/mcp/server-card`);
    const card = ServerCard.parse(await answer.json());
    expect(card.name).toBe("localhost/wayfare");
    expect(card.remotes.map(({ url }) => url)).toEqual([`${plain.appUrl}/api/mcp`, `${plain.edgeUrl}/mcp`]);
  });

  test("matches the connected endpoint", async () => {
    const card = ServerCard.parse(await (await fetch(`${plain.appUrl}/api/mcp/server-card`)).json());
    const initialized = await plain.send("/api/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${plain.apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
      }),
    });
    const { serverInfo, protocolVersion } = z
      .object({ serverInfo: z.object({ title: z.string(), version: z.string() }), protocolVersion: z.string() })
      .parse(initialized.body.result);
    expect(serverInfo).toMatchObject({ title: card.title, version: card.version });
    expect(card.remotes[0]?.supportedProtocolVersions).toContain(protocolVersion);
    expect(card.remotes[0]?.supportedProtocolVersions).toContain("2026-07-28");
  });

  test("is found through the catalog of the domain", async () => {
    const answer = await get("/.well-known/ai-catalog.json");
    expect(answer.headers.get("content-type")).toBe("application/ai-catalog+json");
    expect(await answer.json()).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:travel.example.com:mcp:wayfare",
          type: "application/mcp-server-card+json",
          url: "https://travel.example.com/api/mcp/server-card",
        },
      ],
    });
  });

  test("has a registry entry with the same content", async () => {
    const entry = RegistryEntry.parse(await (await get("/server.json")).json());
    expect(entry.remotes.map(({ url }) => url)).toEqual([
      "https://travel.example.com/api/mcp",
      "https://edge.example.com:8443/mcp",
    ]);
  });
});

describe("llms.txt", () => {
  test("is the same at both addresses, in the form of llmstxt.org", async () => {
    const answer = await get("/llms.txt");
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await (await get("/.well-known/llms.txt")).text()).toBe(text);
    expect(text).toMatch(/^# Wayfare\n\n> .+\n\n[^#]+\n\n## /);
    const sections = text.split(/\n## /).slice(1);
    expect(sections.length).toBeGreaterThan(1);
    for (const section of sections) {
      for (const line of section.trim().split("\n").slice(2)) {
        expect(line).toMatch(
          /^- \[[^\]]+\]\(https:\/\/(?:travel\.example\.com|edge\.example\.com:8443)\/[^)\s]+\): \S.*$/,
        );
      }
    }
  });

  test("has every tool and only working links", async () => {
    const text = await (await fetch(`${plain.appUrl}/llms.txt`)).text();
    for (const { name, summary } of registry) {
      expect(text).toContain(`- [${name}](${plain.appUrl}/docs/tools/${name}.md): ${summary}`);
    }
    for (const [, url = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
      const answer = await fetch(url);
      await answer.body?.cancel();
      expect(answer.status, url).toBe(200);
      if (url.endsWith(".md")) expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    }
  });
});

test("both hosts have the description and the lists for language models, and llms-full.txt has every page", async () => {
  for (const host of [plain.appUrl, plain.edgeUrl]) {
    const openApi = z.object({ servers: z.tuple([z.object({ url: z.string() })]) });
    const description = openApi.parse(await (await fetch(`${host}/openapi.json`)).json());
    expect(description.servers[0].url).toBe(host);
    expect(await (await fetch(`${host}/llms.txt`)).text()).toContain(`${plain.appUrl}/docs/tools/search_flights.md`);
    const everything = await (await fetch(`${host}/llms-full.txt`)).text();
    for (const { name } of registry) expect(everything).toContain(`\n# ${name}\n`);
    expect(everything).toContain("\n# Connect\n");
  }
});

test("for an unknown address, a person sees a page with links, and a program a problem", async () => {
  for (const path of [`${plain.appUrl}/nope`, `${plain.edgeUrl}/nope`, `${plain.appUrl}/api/<b>nope</b>`]) {
    const page = await fetch(path, { headers: { accept: "text/html,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const html = await page.text();
    expect(html).not.toContain("nope");
    for (const [, link = ""] of html.matchAll(/ href="(http[^"]+)"/g)) {
      expect((await fetch(link, { method: "HEAD" })).status, link).toBe(200);
    }
    for (const accept of ["*/*", "application/json", "text/html;q=0.5,application/json"]) {
      const problem = await fetch(path, { headers: { accept } });
      expect(await problem.json()).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(await (await fetch(path, { method: "POST", headers: { accept: "text/html" } })).json()).toMatchObject({
      code: "not_found",
    });
  }
});

test("the type of every error is the address of its page, as its callers reach it", async () => {
  const hotPath = `${address}/api/agent/dispatch`;
  const errors = [
    [get("/nope"), "not_found"],
    [get("/docs/nope"), "not_found"],
    [get("/downloads/.x"), "not_found"],
    [fetch(hotPath, { method: "POST" }), "unauthorized"],
    [fetch(address, { headers: { padding: "x".repeat(20_000) } }), "headers_too_large"],
  ] as const;
  for (const [answer, code] of errors) {
    const type = `https://travel.example.com/docs/errors/${code}`;
    expect(await (await answer).json()).toMatchObject({ type, code });
    expect((await get(`/docs/errors/${code}`)).status).toBe(200);
  }
  for (const path of ["/nope", "/tools/search_flights"]) {
    const { type } = z.object({ type: z.string() }).parse(await (await fetch(plain.edgeUrl + path)).json());
    expect(type).toMatch(/\/docs\/errors\/\w+$/);
    expect(type.startsWith(`${plain.appUrl}/`)).toBe(true);
    expect((await fetch(type)).status).toBe(200);
  }
});

test("a # sent in a path changes nothing", async () => {
  for (const path of ["/healthz#x", "/docs/connect#curl", "/api/agent/dispatch#search_flights"]) {
    const { hostname, port } = new URL(plain.appUrl);
    const answered = Promise.withResolvers<number | undefined>();
    const sent = request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      answered.resolve(response.statusCode);
    });
    sent.on("error", answered.reject);
    sent.end();
    // Dispatch exists, but takes no GET.
    expect(await answered.promise, path).toBe(path.startsWith("/api") ? 405 : 200);
  }
});

test("robots.txt limits crawlers to their pages, and names the list of pages", async () => {
  const text = await (await get("/robots.txt")).text();
  expect(text).toBe(
    "User-agent: *\nAllow: /api/openapi.json\nDisallow: /api/\n\nSitemap: https://travel.example.com/sitemap.xml\n",
  );
  const sitemap = await get("/sitemap.xml");
  const urls = [...(await sitemap.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map((match) => match[1]);
  expect(urls).toEqual(
    expect.arrayContaining(["https://travel.example.com/", "https://travel.example.com/docs/connect"]),
  );
  for (const { name } of registry) expect(urls).toContain(`https://travel.example.com/docs/tools/${name}`);
});

describe("security.txt", () => {
  const path = "/.well-known/security.txt";

  test("has the operator's contact", async () => {
    const answer = await get(path);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(
      "Contact: mailto:security@example.com\nExpires: 2027-06-30T00:00:00Z\nPreferred-Languages: en\nCanonical: https://travel.example.com/.well-known/security.txt\n",
    );
  });

  test("is gone once it has expired, with the reason", async () => {
    now = Temporal.Instant.from("2027-06-30T00:00:00Z");
    const answer = await get(path);
    now = Temporal.Instant.from(NOW);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "not_found", detail: expect.stringContaining("expired") });
  });

  test("is not invented if none is configured", async () => {
    expect((await fetch(`${plain.appUrl}${path}`)).status).toBe(404);
  });
});

describe("downloads", () => {
  const download = (name: string, from = address) => fetch(`${from}/downloads/${name}`, { redirect: "manual" });

  test.each(["wayfare.mcpb", "wayfare-1.2.3_linux.tar.gz"])("%s leads to the configured release", async (name) => {
    const answer = await download(name);
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe(`https://releases.example.com/latest/download/${name}`);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("max-age=3600");
  });

  test.each(["", ".hidden", "a/b", "a%2Fb", "..%2f..%2fsecret", "a..b", "a%0d%0aX:1", "a%3Fb", "ä", "x".repeat(200)])(
    "%s is not the name of one",
    async (name) => {
      const answer = await download(name);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("location")).toBeNull();
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    },
  );

  test("are not available unless the operator configures them, and the answer says so", async () => {
    const answer = await download("not-built.mcpb", plain.appUrl);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining("RELEASE_DOWNLOADS_URL") });
  });

  test("are the files that were built, where no release is configured", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wayfare-downloads-"));
    writeFileSync(join(folder, "wayfare.mcpb"), "built");
    const [route] = downloadRoutes({ releaseDownloadsUrl: undefined, builtFolder: folder, appUrl: address });
    if (route === undefined || !("webHandler" in route)) throw new Error("There is one route.");
    const ask = (name: string) =>
      route.webHandler(new Request(`${address}/downloads/${name}`), {
        remoteAddress: "127.0.0.1",
        readBody: async () => "",
      });
    const answer = await ask("wayfare.mcpb");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("built");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="wayfare.mcpb"');
    expect((await ask("..%2fwayfare.mcpb")).status).toBe(404);
    rmSync(folder, { recursive: true });
  });
});
