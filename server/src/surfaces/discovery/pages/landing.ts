import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { escapeHtml } from "../../../domain/escape-html.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import { cachedAnswer, cachedRoutes } from "../../http/cached-answer.ts";
import type { Routes } from "../../http/hosts.ts";
import { APP_MCP_PATH } from "../../mcp/endpoint.ts";
import { HTML, htmlHeaders, renderDocument } from "./layout.ts";
import { prefersHtml } from "./preferred-type.ts";

interface LandingOptions {
  catalog: Catalog;
  appUrl: string;
  /** The text at the root for clients other than browsers. */
  welcome: string;
}

const IMAGES = join(import.meta.dirname, "../../../../../docs/images");
const PICTURE = readFileSync(join(IMAGES, "path-of-a-booking.svg")).toString("base64");
const PICTURE_WORDS =
  "An agent's call passes through one of four interfaces and the checks to the tool, which books with the supplier and pays on chain; the answer comes back signed.";

/** Photographs of the dashboard, by theme. */
const SCREENSHOT_PATHS = { light: "/images/dashboard-light.webp", dark: "/images/dashboard-dark.webp" } as const;
const SCREENSHOT_WORDS =
  "The dashboard's home view: what needs somebody, the latest orders, spending on calls and failed calls.";

const cards = [
  ["/docs/quickstart", "Quickstart", "From the first start to a booked flight, with commands to copy."],
  ["/docs/connect", "Connect", "Configuration to copy for Claude, Cursor, VS Code, the MCP inspector and curl."],
  ["/docs", "Documentation", "Guides, prices, errors and a page for every tool."],
  ["/reference", "API reference", "Every operation with its schemas; try them on the page."],
  ["/api/openapi.json", "OpenAPI", "The description for generating clients."],
  ["/llms.txt", "llms.txt", "The same pages, listed for language models."],
  ["/docs/licences", "Licences", "The licences of the packages and data in this service, with their notices."],
  ["/readyz", "Health", "Whether this deployment serves right now."],
] as const;

/** The application host's home page for people. */
export function landingRoutes({ catalog, appUrl, welcome }: LandingOptions): Routes {
  const items = cards.map(
    ([href, title, note]) => `<li><a href="${href}"><strong>${title}</strong><span>${escapeHtml(note)}</span></a></li>`,
  );
  const areas = Map.groupBy(catalog.entries, ({ tool }) => tool.area);
  const rows = [...areas].map(([area, entries]) => {
    const tools = entries.map(
      ({ tool }) => `<a href="/docs/tools/${escapeHtml(tool.name)}">${escapeHtml(tool.title)}</a>`,
    );
    return `<tr><th scope="row">${escapeHtml(area)}</th><td>${tools.join(", ")}</td></tr>`;
  });
  const html = renderDocument({
    title: "Wayfare: travel and settlement tools for AI agents",
    description: "Typed tools that agents call over HTTP and MCP.",
    hasPageList: false,
    body: `<main class="landing" id="content">
<h1>Travel tools that agents can call</h1>
<p class="lead">Wayfare is a self-hosted service that gives AI agents typed tools to search, book, change and cancel travel, and to pay for, settle and invoice it. Every call is authenticated, checked, priced, capped, recorded and signed.</p>
<h2>Install</h2>
<p>In a clone of the repository, with Node 20.20 or later and npm 11; you need no account and no key:</p>
<pre tabindex="0"><code>npm start
</code></pre>
<div class="picture" tabindex="0"><img src="data:image/svg+xml;base64,${PICTURE}" width="920" height="330" alt="${escapeHtml(PICTURE_WORDS)}"></div>
<h2>Watch what they do</h2>
<p>The dashboard shows every call, trip, payment and decision, and people approve there what an agent may not do alone. <a href="/dashboard">Open the dashboard</a> with the link that the start has printed.</p>
<picture class="screenshot"><source media="(prefers-color-scheme: dark)" srcset="${SCREENSHOT_PATHS.dark}"><img src="${SCREENSHOT_PATHS.light}" width="1280" height="680" loading="lazy" alt="${escapeHtml(SCREENSHOT_WORDS)}"></picture>
<ul class="cards">
${items.join("\n")}
</ul>
<h2>Connect an agent</h2>
<pre tabindex="0"><code>claude mcp add --transport http wayfare ${escapeHtml(appUrl + APP_MCP_PATH)} \\
  --header "Authorization: Bearer $WAYFARE_API_KEY"
</code></pre>
<p><a href="/docs/connect">Connect</a> explains where to get the key, and how to configure other clients.</p>
<h2>Tools</h2>
<div class="table"><table><tbody>
${rows.join("\n")}
</tbody></table></div>
</main>`,
  });
  const page = cachedAnswer(html, { contentType: HTML, vary: ["accept"], headers: htmlHeaders });
  const text = cachedAnswer(welcome, { contentType: "text/plain; charset=utf-8", vary: ["accept"] });
  return [
    ...cachedRoutes("/", (request) => (prefersHtml(request) ? page(request) : text(request))),
    ...Object.values(SCREENSHOT_PATHS).flatMap((path) =>
      cachedRoutes(path, cachedAnswer(readFileSync(join(IMAGES, basename(path))), { contentType: "image/webp" })),
    ),
  ];
}
