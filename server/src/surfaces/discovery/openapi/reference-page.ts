import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cachedAnswer, cachedRoutes } from "../../http/cached-answer.ts";
import type { Routes, WebHandler } from "../../http/hosts.ts";
import { ICON } from "../pages/layout.ts";

/** The API reference's program as one script: its package for another web server contains it as a string literal. */
const PACKAGE = "@scalar/fastify-api-reference";
const BEGINNING = '\nvar standalone_default = "';
const END = '";\n';

interface ScalarBundle {
  script: string;
  /** Changes with the script. */
  hash: string;
}

const PAGE = "/reference";
const BUNDLE = `${PAGE}/scalar.js`;
const START = `${PAGE}/start.js`;
const JAVASCRIPT = "text/javascript; charset=utf-8";
const A_YEAR = "max-age=31536000, immutable";
const AN_HOUR = "max-age=3600";

/**
 * Scripts come from files of this host only. Inline styles are allowed: the reference sets them on single elements, which
 * neither a hash nor a nonce can permit.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Nothing leaves this host: no fonts, no proxy, no telemetry, no chat, no links to the vendor's products. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  documentDownloadType: "direct",
  operationTitleSource: "summary",
  // The scheme that the description declares, so that the key has a field from the start.
  authentication: { preferredSecurityScheme: "apiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
} as const;

/** The API description as a page for reading and for trying calls, served entirely from here. */
export function referenceRoutes(openApiPath: string): Routes {
  let reference: { page: WebHandler; script: WebHandler } | undefined;
  const made = () => {
    reference ??= makeReference();
    return reference;
  };
  // Calls are tried at the page's own address, the only one that its policy permits.
  const start = `Scalar.createApiReference("#reference", {
  ...${JSON.stringify({ url: openApiPath, ...configuration })},
  servers: [{ url: location.origin }],
});
`;
  return [
    ...cachedRoutes(PAGE, (request) => made().page(request)),
    ...cachedRoutes(BUNDLE, (request) => made().script(request)),
    ...cachedRoutes(START, cachedAnswer(start, { contentType: JAVASCRIPT })),
  ];
}

function makeReference(): { page: WebHandler; script: WebHandler } {
  const { script, hash } = readScalarBundle();
  const answer = cachedAnswer(script, { contentType: JAVASCRIPT, cacheControl: A_YEAR });
  return {
    page: cachedAnswer(renderPage(`${BUNDLE}?v=${hash}`), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": POLICY, "referrer-policy": "no-referrer" },
    }),
    async script(request) {
      const response = await answer(request);
      // Only the address with the hash is immutable.
      if (new URL(request.url).searchParams.get("v") !== hash) response.headers.set("cache-control", AN_HOUR);
      return response;
    },
  };
}

function renderPage(bundleUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Wayfare</title>
<meta name="description" content="Every tool and route of this deployment, with its arguments, answers and errors.">
<link rel="icon" href="${ICON}">
<style>
/* The colours and the header of the documentation. */
.light-mode { --scalar-background-1: #fdfcfa; --scalar-background-2: #f3f1ec; --scalar-border-color: #dedad1; --scalar-color-1: #1d2327; --scalar-color-2: #5c656b; --scalar-color-accent: #0b6b61; }
.dark-mode { --scalar-background-1: #14171a; --scalar-background-2: #1d2226; --scalar-border-color: #333a40; --scalar-color-1: #e4e6e3; --scalar-color-2: #9ea8ae; --scalar-color-accent: #63c7b8; }
.site { color-scheme: light dark; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; align-items: baseline; padding: 0.8rem 1.5rem; border-bottom: 1px solid light-dark(#dedad1, #333a40); background: light-dark(#fdfcfa, #14171a); font: 16px / 1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.site a { color: light-dark(#5c656b, #9ea8ae); text-decoration: none; font-size: 0.95rem; }
.site a:first-child { color: light-dark(#1d2327, #e4e6e3); font-weight: 650; font-size: 1.1rem; margin-right: auto; }
.site a:first-child::before { content: ""; display: inline-block; width: 0.65em; height: 0.65em; margin-right: 0.5em; border-radius: 50% 50% 50% 0; background: light-dark(#0b6b61, #63c7b8); transform: rotate(-45deg); }
.site a:is(:hover, :focus-visible) { text-decoration: underline; }
</style>
</head>
<body>
<nav aria-label="Site" class="site">
<a href="/">Wayfare</a><a href="/docs">Documentation</a><a href="/docs/connect">Connect</a><a href="/reference" aria-current="page">API reference</a><a href="/llms.txt">llms.txt</a>
</nav>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same is at <a href="/docs">/docs</a> and, for programs, at <a href="/api/openapi.json">/api/openapi.json</a>.</noscript>
<script src="${bundleUrl}"></script>
<script src="${START}"></script>
</body>
</html>
`;
}

/** Reads 4 MB: on the first request, not at the start. */
function readScalarBundle(): ScalarBundle {
  const module = readFileSync(fileURLToPath(import.meta.resolve(PACKAGE)), "utf8");
  const begin = module.indexOf(BEGINNING);
  const end = module.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`${PACKAGE} no longer carries the script where it was.`);
  const script = parseLiteral(module.slice(begin + BEGINNING.length - 1, end + 1));
  return { script, hash: createHash("sha256").update(script).digest("hex").slice(0, 16) };
}

/** A JSON string must escape control characters; a JavaScript literal need not. */
function parseLiteral(literal: string): string {
  const controls = /\p{Cc}/gu;
  const value: unknown = JSON.parse(literal.replace(controls, (character) => JSON.stringify(character).slice(1, -1)));
  if (typeof value !== "string") throw new Error(`${PACKAGE} no longer carries the script as text.`);
  return value;
}
