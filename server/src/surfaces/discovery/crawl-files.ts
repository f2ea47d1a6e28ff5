import { escapeHtml } from "../../domain/escape-html.ts";
import type { Catalog } from "../../kernel/contracts/catalog.ts";
import { DISPATCH_PATH } from "../dispatch/dispatch.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import { APP_MCP_PATH, EDGE_MCP_PATH } from "../mcp/endpoint.ts";
import { isListed, type Page } from "../page.ts";
import { PAID_TOOLS_PATH } from "../paid/price-tags.ts";
import { INDEX_SLUG } from "./pages/load-pages.ts";

interface CrawlOptions {
  pages: readonly Page[];
  catalog: Catalog;
  appUrl: string;
  edgeUrl: string;
}

/**
 * The files that crawlers read first: the manifest for language models, and robots.txt with the list of pages for all others.
 */
export function crawlRoutes(options: CrawlOptions): Routes {
  return [
    ...languageModelRoutes(options),
    ...cachedRoutes("/robots.txt", cachedAnswer(renderRobots(options), { contentType: "text/plain; charset=utf-8" })),
    ...cachedRoutes(
      "/sitemap.xml",
      cachedAnswer(renderSitemap(options), { contentType: "application/xml; charset=utf-8" }),
    ),
  ];
}

/** The manifest, and every page in one file. On both hosts, so that either address leads to everything. */
export function languageModelRoutes(options: CrawlOptions): Routes {
  const contentType = "text/plain; charset=utf-8";
  const manifest = cachedAnswer(renderManifest(options), { contentType });
  const everything = cachedAnswer(
    () =>
      options.pages
        .filter(isListed)
        .map(({ markdown }) => markdown.trimEnd())
        .join("\n\n---\n\n"),
    {
      contentType,
    },
  );
  return [
    ...cachedRoutes("/llms.txt", manifest),
    ...cachedRoutes("/.well-known/llms.txt", manifest),
    ...cachedRoutes("/llms-full.txt", everything),
  ];
}

/** A title, a summary, how to call, then annotated lists of links (llmstxt.org). */
function renderManifest({ pages, catalog, appUrl, edgeUrl }: CrawlOptions): string {
  const line = (title: string, path: string, note: string) => `- [${title}](${appUrl}${path}): ${note}`;
  const [index, ...others] = pages.filter((page) => isListed(page) && !page.slug.startsWith("tools/"));
  const tools = catalog.entries.map(({ tool }) => line(tool.name, `/docs/tools/${tool.name}.md`, tool.summary));
  return `# Wayfare

> ${index?.summary ?? ""}

With a key, every call carries \`Authorization: Bearer <API key>\`; keys begin with \`ak_\`. You can reach the tools in these ways:

- HTTP: POST ${appUrl}${DISPATCH_PATH} with {"tool", "args"}
- HTTP, with an agent that books by itself: POST ${appUrl}${DISPATCH_PATH} with {"channel": "web", "input": "what the traveler says"}, which returns a stream of events
- MCP, streamable HTTP: ${appUrl}${APP_MCP_PATH}, and the same at ${edgeUrl}${EDGE_MCP_PATH}

Without a key or an account, a wallet can pay for single calls of many of them (x402): POST ${edgeUrl}${PAID_TOOLS_PATH}/<tool> with the arguments as the body; GET ${edgeUrl}${PAID_TOOLS_PATH} lists them with their prices.

Each page below is also available as HTML, at its URL without \`.md\`.

## Guides

${(index === undefined ? others : [index, ...others]).map((page) => line(page.title, `/docs/${page.slug}.md`, page.summary)).join("\n")}

## Tools

${tools.join("\n")}

## Machine-readable

${line("All pages", "/llms-full.txt", "Every page of this list in one file.")}
${line("OpenAPI description", "/api/openapi.json", "Every tool as an operation, with its schemas, errors and examples (OpenAPI 3.1).")}
- [OpenAPI description, paid per call](${edgeUrl}/openapi.json): The same tools on the host where a wallet pays for single calls.
${line("MCP server card", "/.well-known/mcp/server-card.json", "Where the MCP server is and what it needs to connect.")}
${line("Registry entry", "/server.json", "The same in the format of the MCP registry.")}
`;
}

function renderRobots({ appUrl }: CrawlOptions): string {
  return `User-agent: *\nAllow: /api/openapi.json\nDisallow: /api/\n\nSitemap: ${appUrl}/sitemap.xml\n`;
}

function renderSitemap({ pages, appUrl }: CrawlOptions): string {
  const paths = ["/", ...pages.map(({ slug }) => (slug === INDEX_SLUG ? "/docs" : `/docs/${slug}`))];
  const urls = paths.map((path) => `<url><loc>${escapeHtml(appUrl + path)}</loc></url>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`;
}
