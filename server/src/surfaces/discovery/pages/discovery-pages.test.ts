import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { registry } from "../../../contributions.ts";
import { meaningByCode } from "../../../domain/errors.ts";

const docsFolder = join(import.meta.dirname, "../../../../../docs");
const files = readdirSync(docsFolder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
const toSlug = (file: string) => (file === "README.md" ? "index" : file.slice(0, -3));

const LARGEST_PAGE_BYTES = 130_000;
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, accept?: string, init: RequestInit = {}) =>
  fetch(new URL(path, service.appUrl), {
    ...init,
    headers: { ...(accept === undefined ? {} : { accept }), ...init.headers },
  });

const listLinks = (html: string) => [...html.matchAll(/ href="([^"]+)"/g)].map((match) => match[1] ?? "");

/** Two of the error pages, which are alike: the links to and from the others are followed below. */
const shown = files.filter((file) => !file.startsWith("errors/") || /\/(?:invalid_input|outcome_unknown)\./.test(file));

describe.each(shown)("docs/%s", (file) => {
  const path = `/docs/${toSlug(file)}`;

  test("is an HTML page under the size limit, with a policy that allows only its own script", async () => {
    const answer = await get(path, BROWSER);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const [, script = ""] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    expect(answer.headers.get("content-security-policy")).toContain(
      `; script-src 'sha256-${hash}'; connect-src 'self';`,
    );
    expect(answer.headers.get("vary")?.split(", ")).toContain("accept");
    expect(Buffer.byteLength(html)).toBeLessThan(LARGEST_PAGE_BYTES);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<img|<!-- /);
    expect(html).not.toContain("127.0.0.1:3000");
  });

  test("is Markdown with .md appended and when Markdown is asked for, with this deployment's addresses", async () => {
    const appended = await get(`${path}.md`);
    const negotiated = await get(path, "text/markdown, text/html;q=0.9, */*;q=0.1");
    const text = await appended.text();
    expect(appended.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(negotiated.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(negotiated.headers.get("vary")?.split(", ")).toContain("accept");
    expect(await negotiated.text()).toBe(text);
    expect(text).toMatch(/^# /);
    expect(text).not.toMatch(/127\.0\.0\.1:300[01]/);
    if (readFileSync(join(docsFolder, file), "utf8").includes("http://127.0.0.1:3000")) {
      expect(text).toContain(service.appUrl);
    }
  });

  test("may be read by any page, is cached for an hour, and revalidates at no cost", async () => {
    for (const one of [path, `${path}.md`]) {
      const answer = await get(one);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("cache-control")).toBe("max-age=3600");
      const etag = answer.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"/);
      const again = await get(one, undefined, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      const head = await get(one, undefined, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    }
  });
});

test("every link of every page leads somewhere, and the pages lead to each other", async () => {
  const seen = new Map<string, string>();
  const open = ["/"];
  const anchors: { from: string; path: string; anchor: string }[] = [];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    const answer = await get(path, BROWSER);
    expect(answer.status, path).toBe(200);
    const isPage = (answer.headers.get("content-type") ?? "").startsWith("text/html") && !path.startsWith("/reference");
    const html = isPage ? await answer.text() : "";
    seen.set(path, html);
    for (const link of listLinks(html)) {
      if (link.startsWith("data:") || link.startsWith("mailto:")) continue;
      const url = new URL(link, new URL(path, service.appUrl));
      if (url.origin !== service.appUrl) continue;
      if (url.hash !== "") anchors.push({ from: path, path: url.pathname, anchor: url.hash.slice(1) });
      open.push(url.pathname);
    }
  }
  for (const { from, path, anchor } of anchors) {
    expect(seen.get(path), `${from} → ${path}#${anchor}`).toContain(`id="${anchor}"`);
  }
  for (const file of files) {
    const path = file === "README.md" ? "/docs" : `/docs/${toSlug(file)}`;
    expect(seen.has(path), path).toBe(true);
  }
  for (const { name } of registry) expect(seen.has(`/docs/tools/${name}`), name).toBe(true);
  const codes = new Set([...Object.keys(meaningByCode), ...registry.flatMap(({ errors }) => Object.keys(errors))]);
  for (const code of codes) expect(seen.has(`/docs/errors/${code}`), code).toBe(true);
});

test("the index links every page that is not of a tool or an error", () => {
  const index = readFileSync(join(docsFolder, "README.md"), "utf8");
  for (const file of files.filter((one) => one !== "README.md" && !/^(?:tools|errors)\//.test(one))) {
    expect(index, file).toContain(`](${file})`);
  }
});

test("links between the files in the repository work there too", () => {
  for (const file of files) {
    const text = readFileSync(join(docsFolder, file), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)) {
      const path = new URL(target, `http://docs/${file}`).pathname.slice(1);
      expect(files, `${file} → ${target}`).toContain(path);
    }
  }
});

describe("the index", () => {
  test.each(["/docs", "/docs/", "/docs/index"])("is at %s", async (path) => {
    expect(await (await get(path, BROWSER)).text()).toContain("<h1>Wayfare documentation</h1>");
  });

  test("has its Markdown at /docs.md, whose links work from there", async () => {
    const text = await (await get("/docs.md")).text();
    expect(text).toContain(`](${service.appUrl}/docs/connect.md)`);
  });
});

describe("accepted types", () => {
  test.each([
    ["*/*", "text/html"],
    ["text/markdown", "text/markdown"],
    ["text/html, text/markdown", "text/markdown"],
    ["text/html, text/markdown;q=0.5", "text/html"],
    ["text/markdown;q=0", "text/html"],
    ["text/html, text/markdown;q=7", "text/html"],
    ["TEXT/MARKDOWN;Q=1", "text/markdown"],
    ["application/json", "text/html"],
    [";;q=,text/markdown;q=x,,", "text/html"],
  ])("%s gets %s", async (accept, type) => {
    expect((await get("/docs/connect", accept)).headers.get("content-type")).toBe(`${type}; charset=utf-8`);
  });
});

describe("a missing page", () => {
  test.each([
    "/docs/nope",
    "/docs/nope.md",
    "/docs/tools/nope",
    "/docs/connect.md.md",
    "/docs/../etc/passwd%00",
    "/docs/%2e%2e%2fREADME",
  ])("%s is a problem for programs and a page for browsers", async (path) => {
    const problem = await get(path, "application/json");
    expect(problem.status).toBe(404);
    expect(problem.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(await problem.json()).toMatchObject({ ok: false, code: "not_found", status: 404, retryable: false });
    if (!path.startsWith("/docs/") || new URL(path, service.appUrl).pathname.startsWith("/etc")) return;
    const page = await get(path, BROWSER);
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("There is no such page");
  });

  test("does not repeat the request in its HTML", async () => {
    const text = await (await get("/docs/<b>bold</b>", BROWSER)).text();
    expect(text).not.toContain("bold");
  });
});

test("preflights of other origins' pages are answered", async () => {
  const answer = await get("/docs/connect", undefined, { method: "OPTIONS" });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

describe("the root", () => {
  test("is a page with links for browsers", async () => {
    const answer = await get("/", BROWSER);
    const html = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const path of ["/docs", "/docs/connect", "/reference", "/api/openapi.json", "/llms.txt", "/readyz"]) {
      expect(listLinks(html)).toContain(path);
    }
    expect(html).toContain(`${service.appUrl}/api/mcp`);
  });

  test("is text for other clients", async () => {
    const answer = await get("/");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toContain("/api/agent/dispatch");
  });
});

test("a trailing slash makes no difference", async () => {
  const [slashed, plain] = [await get("/docs/connect/", BROWSER), await get("/docs/connect", BROWSER)];
  expect(slashed.status).toBe(200);
  expect(await slashed.text()).toBe(await plain.text());
});

test("the search of all pages is small on the wire and knows words, not the numbers of examples", async () => {
  const text = await (await fetch(`${service.appUrl}/docs/search.json`)).text();
  expect(gzipSync(text).length).toBeLessThan(60_000);
  const pages = z.array(z.object({ path: z.string(), words: z.string() })).parse(JSON.parse(text));
  const limits = pages.find(({ path }) => path === "/docs/limits");
  expect(limits?.words.split(" ")).toEqual(expect.arrayContaining(["calendar", "recipients"]));
  expect(pages.flatMap(({ words }) => words.split(" ")).filter((word) => /[0-9]{3}/.test(word))).toEqual([]);
});
