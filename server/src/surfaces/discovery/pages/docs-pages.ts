import { escapeHtml } from "../../../domain/escape-html.ts";
import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import { cachedAnswer, cachedRoutes } from "../../http/cached-answer.ts";
import type { Routes, WebHandler } from "../../http/hosts.ts";
import { isListed, type Page } from "../../page.ts";
import { notFound } from "../not-found.ts";
import { HTML, htmlHeaders, renderDocument } from "./layout.ts";
import { INDEX_SLUG } from "./load-pages.ts";
import { prefersHtml, prefersMarkdown } from "./preferred-type.ts";
import { renderMarkdown } from "./render-markdown.ts";

const MARKDOWN = "text/markdown; charset=utf-8";
const TOOL_FOLDER = "tools/";

interface DocsOptions {
  pages: readonly Page[];
  catalog: Catalog;
  appUrl: string;
}

/** Every page as HTML, and as Markdown with `.md` appended or `Accept: text/markdown`. */
export function docsRoutes(options: DocsOptions): Routes {
  const { pages, appUrl } = options;
  const groups = groupPages(options);
  const inOrder = groups.flatMap((group) => group.pages);
  const pageRoutes = pages.flatMap((page) => {
    const path = docsPath(page.slug);
    const html = cachedAnswer(() => renderPage(page, groups, inOrder, appUrl), {
      contentType: HTML,
      vary: ["accept"],
      headers: { ...htmlHeaders, link: `<${path}.md>; rel="alternate"; type="text/markdown"` },
    });
    const markdown = cachedAnswer(page.markdown, { contentType: MARKDOWN, vary: ["accept"] });
    const either: WebHandler = (request) => (prefersMarkdown(request) ? markdown(request) : html(request));
    const paths = page.slug === INDEX_SLUG ? ["/docs", "/docs/", `/docs/${INDEX_SLUG}`] : [path, `${path}/`];
    return [
      ...paths.flatMap((one) => cachedRoutes(one, either)),
      ...paths.filter((one) => !one.endsWith("/")).flatMap((one) => cachedRoutes(`${one}.md`, markdown)),
    ];
  });
  const index = cachedAnswer(() => searchIndex([...inOrder, ...pages.filter((page) => !inOrder.includes(page))]), {
    contentType: "application/json; charset=utf-8",
  });
  return [
    ...pageRoutes,
    ...cachedRoutes("/docs/search.json", index),
    { method: "GET", path: "/docs/*", webHandler: unknownPage(groups, appUrl) },
  ];
}

function docsPath(slug: string): string {
  return slug === INDEX_SLUG ? "/docs" : `/docs/${slug}`;
}

interface PageGroup {
  heading: string;
  pages: readonly Page[];
}

/** The groups of page lists: everything outside the tools' folder, then the tools by area, in the catalog's order. */
function groupPages({ pages, catalog }: Pick<DocsOptions, "pages" | "catalog">): readonly PageGroup[] {
  const bySlug = new Map(pages.map((page) => [page.slug, page]));
  const areas = new Map<string, Page[]>();
  for (const { tool } of catalog.entries) {
    const page = bySlug.get(`${TOOL_FOLDER}${tool.name}`);
    if (page === undefined) continue;
    areas.set(tool.area, [...(areas.get(tool.area) ?? []), page]);
  }
  return [
    ...groupGuides(pages.filter(isListed).filter(({ slug }) => !slug.startsWith(TOOL_FOLDER))),
    ...[...areas].map(([area, ofArea]) => ({ heading: `Tools: ${area}`, pages: ofArea })),
  ];
}

/** By the index's headings; the index itself comes first. */
function groupGuides(guides: readonly Page[]): PageGroup[] {
  const index = guides.find(({ slug }) => slug === INDEX_SLUG);
  const sections = (index?.markdown ?? "").split(/^## /m).slice(1);
  const groups = sections.map((section) => ({
    heading: section.split("\n")[0] ?? "",
    pages: guides.filter(({ slug }) => section.includes(`/docs/${slug}.md`)),
  }));
  const listed = new Set(groups.flatMap(({ pages }) => pages));
  const rest = guides.filter((page) => !listed.has(page));
  return [{ heading: "Documentation", pages: rest }, ...groups];
}

/** Nobody searches for the numbers and ids of examples, which are most of the words by length. */
const isSearched = (word: string): boolean => word.replaceAll(/\P{N}/gu, "").length < 3;

/** The data of the page search: each word of a page once, without its code, its addresses and what most pages say. */
function searchIndex(pages: readonly Page[]): string {
  const said = pages.map(({ markdown }) => {
    const text = markdown
      .replaceAll(/^```[\s\S]*?^```$/gm, " ")
      .replaceAll(/\]\([^)]*\)/g, "]")
      .toLowerCase();
    return new Set(text.match(/[\p{L}\p{N}_-]{2,}/gu));
  });
  const counts = new Map<string, number>();
  for (const word of said.flatMap((words) => [...words])) counts.set(word, (counts.get(word) ?? 0) + 1);
  const entries = pages.map(({ slug, title, summary }, index) => {
    // The page's script looks into title and summary as well.
    const shown = `${title} ${summary}`.toLowerCase();
    const words = [...(said[index] ?? [])]
      .filter((word) => isSearched(word) && !shown.includes(word) && (counts.get(word) ?? 0) <= pages.length / 4)
      // Like ones beside each other compress better.
      .toSorted()
      .join(" ");
    return { path: docsPath(slug), title, summary, words };
  });
  return JSON.stringify(entries);
}

/** The previous and next pages of the list; none for a page that is not in it. */
function renderNeighbours(page: Page, inOrder: readonly Page[]): string {
  const at = inOrder.indexOf(page);
  if (at === -1) return "";
  const link = (other: Page | undefined, rel: string, words: string) =>
    other === undefined
      ? "<span></span>"
      : `<a href="${escapeHtml(docsPath(other.slug))}" rel="${rel}">${words}: ${escapeHtml(other.title)}</a>`;
  const before = at > 0 ? inOrder[at - 1] : undefined;
  return `<nav class="around" aria-label="Before and after">${link(before, "prev", "Previous")}${link(inOrder[at + 1], "next", "Next")}</nav>`;
}

/** Fewer sections are seen without a list. */
const FEWEST_LISTED_SECTIONS = 3;
const SECTION = /<h2 id="([^"]+)"><a href="[^"]+">(.*?)<\/a><\/h2>/g;

/** The sections of a page, from its rendered headings. The page's script opens the list where it stands beside the text. */
function renderContents(html: string): string {
  const items = [...html.matchAll(SECTION)].map(([, id, name]) => `<li><a href="#${id}">${name}</a></li>`);
  if (items.length < FEWEST_LISTED_SECTIONS) return "";
  return `<details class="contents"><summary>On this page</summary>
<nav aria-label="On this page"><ul>
${items.join("\n")}
</ul></nav></details>
`;
}

function renderPage(page: Page, groups: readonly PageGroup[], inOrder: readonly Page[], appUrl: string): string {
  const path = docsPath(page.slug);
  const text = renderMarkdown(page.markdown, appUrl);
  return renderDocument({
    title: page.slug === INDEX_SLUG ? page.title : `${page.title} · Wayfare`,
    description: page.summary,
    markdownPath: `${path}.md`,
    hasPageList: true,
    body: `<div class="frame">
${renderContents(text)}<main id="content">
${text}${renderNeighbours(page, inOrder)}
<p class="source"><a href="${escapeHtml(path)}.md">This page as Markdown</a></p>
</main>
${renderList(groups, isListed(page) ? page.slug : "errors")}
</div>`,
  });
}

function renderList(groups: readonly PageGroup[], currentSlug: string | undefined): string {
  const item = ({ slug, title }: Page) => {
    const current = slug === currentSlug ? ' aria-current="page"' : "";
    return `<li><a href="${escapeHtml(docsPath(slug))}"${current}>${escapeHtml(title)}</a></li>`;
  };
  const lists = groups.map(
    ({ heading, pages }) => `<h2>${escapeHtml(heading)}</h2>\n<ul>\n${pages.map(item).join("\n")}\n</ul>`,
  );
  return `<nav class="pages" id="pages" aria-label="Pages">\n${lists.join("\n")}\n</nav>`;
}

/** Answers with the list of pages as HTML if accepted, otherwise with a problem. */
function unknownPage(groups: readonly PageGroup[], appUrl: string): WebHandler {
  const html = renderDocument({
    title: "No such page · Wayfare",
    description: "There is no such page.",
    hasPageList: true,
    body: `<div class="frame">
<main id="content">
<h1>There is no such page</h1>
<p>The URL may be misspelled, or the tool may have another name here. The list has the guides and tools; <a href="/docs/errors">Errors</a> links to the page of each code.</p>
</main>
${renderList(groups, undefined)}
</div>`,
  });
  return (request) => {
    const headers = { "access-control-allow-origin": "*", vary: "accept" };
    if (prefersHtml(request)) {
      return new Response(html, { status: 404, headers: { ...htmlHeaders, ...headers, "content-type": HTML } });
    }
    return notFound(
      request,
      appUrl,
      `There is no page ${new URL(request.url).pathname}. /llms.txt lists every page.`,
      headers,
    );
  };
}
