import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "../../page.ts";

/** The first page; its links determine the order of the others. */
export const INDEX_SLUG = "index";

/** The addresses in the repository's files, which work there unchanged. */
const APP_URL_IN_FILES = "http://127.0.0.1:3000";
const EDGE_URL_IN_FILES = "http://127.0.0.1:3001";

const LEADING_COMMENTS = /^(?:<!--[\s\S]*?-->\s*)+/;
/** A link to another page of the folder: its path without the extension, and an anchor. */
const PAGE_LINK = /\]\((?![a-z]+:|\/|#)([^)\s]+?)\.md(#[^)\s]*)?\)/g;

interface LoadPagesOptions {
  /** The folder with the Markdown files; README.md is the index. */
  folder: string;
  appUrl: string;
  edgeUrl: string;
}

/** Every Markdown file of the documentation with this deployment's addresses, in reading order, the index first. */
export function loadPages(options: LoadPagesOptions): readonly Page[] {
  const pages = readdirSync(options.folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => readPage(file, options));
  const links = [...(pages.find(({ slug }) => slug === INDEX_SLUG)?.markdown ?? "").matchAll(/\/docs\/([\w/-]+)\.md/g)];
  const order = [INDEX_SLUG, ...links.map((link) => link[1])];
  const rank = (slug: string) => {
    const place = order.indexOf(slug);
    return place === -1 ? order.length : place;
  };
  return pages.sort((a, b) => rank(a.slug) - rank(b.slug) || (a.slug < b.slug ? -1 : 1));
}

function readPage(file: string, { folder, appUrl, edgeUrl }: LoadPagesOptions): Page {
  const slug = file === "README.md" ? INDEX_SLUG : file.replaceAll("\\", "/").replace(/\.md$/, "");
  const text = readFileSync(join(folder, file), "utf8").replace(LEADING_COMMENTS, "");
  const markdown = text
    // Absolute, because a page is also read without its own address: as an MCP resource, or saved.
    .replaceAll(PAGE_LINK, (_link, target: string, anchor = "") => {
      const path = new URL(target, `http://docs/${slug}`).pathname.slice(1);
      return `](${appUrl}/docs/${path === "README" ? INDEX_SLUG : path}.md${anchor})`;
    })
    .replaceAll(EDGE_URL_IN_FILES, edgeUrl)
    .replaceAll(APP_URL_IN_FILES, appUrl);
  const title = /^# (.+)\n/.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`The page ${file} does not begin with its title as a heading.`);
  return { slug, title: plainText(title), summary: firstSentence(markdown), markdown };
}

/** The first sentence of the first paragraph after the title. */
function firstSentence(markdown: string): string {
  const paragraph = markdown.split(/\n\s*\n/)[1] ?? "";
  const text = plainText(paragraph.replaceAll("\n", " ").trim());
  return /^.+?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
}
