import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../../../domain/escape-html.ts";

// Inlined: a page is then one request, and the policy below names the only style that may apply.
export const STYLE = readFileSync(join(import.meta.dirname, "style.css"), "utf8")
  .replaceAll(/\s+/g, " ")
  .trim();
const script = readFileSync(join(import.meta.dirname, "page.js"), "utf8");
const scriptHash = createHash("sha256").update(script).digest("base64");
const styleHash = createHash("sha256").update(STYLE).digest("base64");

export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 1a5 5 0 0 1 5 5c0 4-5 9-5 9S3 10 3 6a5 5 0 0 1 5-5z' fill='%230b8577'/%3E%3C/svg%3E";

/** Allows only the script of every page, nothing from elsewhere, and no framing. */
export const htmlHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'sha256-${scriptHash}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
};

export const HTML = "text/html; charset=utf-8";

/** Shown by the script that it needs. */
const SEARCH = `<form class="search" role="search" hidden>
<input type="search" aria-label="Search all pages" placeholder="Search all pages ( / )" aria-keyshortcuts="/" autocomplete="off">
<ul hidden></ul>
</form>
`;

interface Document {
  title: string;
  description: string;
  /** The address of the same text as Markdown, for agents. */
  markdownPath?: string;
  /** Raw HTML. */
  body: string;
  /** Whether the body has a list of pages at `#pages`, which narrow screens show last. */
  hasPageList: boolean;
  /** The host with the pages, for a page of the other host; default: this one. */
  siteUrl?: string;
}

/** The common frame of all pages. */
export function renderDocument({
  title,
  description,
  markdownPath,
  body,
  hasPageList,
  siteUrl = "",
}: Document): string {
  const site = escapeHtml(siteUrl);
  const alternate =
    markdownPath === undefined
      ? ""
      : `<link rel="alternate" type="text/markdown" href="${escapeHtml(markdownPath)}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${ICON}">
${alternate}<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="${site}/">Wayfare</a>
${hasPageList ? '<a class="narrow" href="#pages">All pages</a>\n' : ""}<a href="${site}/docs">Documentation</a>
<a href="${site}/docs/connect">Connect</a>
<a href="${site}/reference">API reference</a>
<a href="${site}/llms.txt">llms.txt</a>
${siteUrl === "" ? SEARCH : ""}</header>
${body}
<script type="module">${script}</script>
</body>
</html>
`;
}
