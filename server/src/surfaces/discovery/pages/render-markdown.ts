import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "../../../domain/escape-html.ts";

/** Allowed link targets. Anything else, above all `javascript:`, stays text. */
const SAFE_LINK = /^(?:https?:\/\/|mailto:|\/|#)/i;
const COMMENT = /<!--[\s\S]*?-->/g;

/**
 * Renders a page's Markdown as HTML. Tags are shown as text and never take effect: parts of the pages come from tools'
 * descriptions and recorded answers. Links to other pages of this deployment become links to their HTML.
 */
export function renderMarkdown(markdown: string, appUrl: string): string {
  const anchors = new Map<string, number>();
  const createAnchor = (text: string) => {
    const base = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const seen = anchors.get(base) ?? 0;
    anchors.set(base, seen + 1);
    return seen === 0 ? base : `${base}-${seen}`;
  };
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text.replaceAll(COMMENT, "").trim()),
      image: ({ text }) => escapeHtml(text),
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        const anchor = escapeHtml(createAnchor(plainText(tokens)));
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = pageTarget(href, appUrl);
        return SAFE_LINK.test(target) ? `<a href="${escapeHtml(target)}">${content}</a>` : content;
      },
      code: ({ text, lang }) => {
        const language = /^[\w-]+$/.exec(lang ?? "")?.[0];
        const label = language === undefined ? "" : ` class="language-${language}"`;
        return `<pre tabindex="0"><code${label}>${escapeHtml(text)}\n</code></pre>\n`;
      },
      table({ header, rows }) {
        const names = header.map(({ tokens }) => escapeHtml(plainText(tokens)));
        const content = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        const head = header.map((cell) => `<th>${content(cell)}</th>`).join("");
        const body = rows
          .map((cells) => cells.map((cell, at) => `<td data-label="${names[at] ?? ""}">${content(cell)}</td>`).join(""))
          .map((cells) => `<tr>${cells}</tr>`);
        return `<div class="table" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>${body.join("\n")}</tbody>\n</table></div>\n`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** The page's path without host and extension, so that readers stay on the address they came by. */
function pageTarget(href: string, appUrl: string): string {
  const own = href.startsWith(`${appUrl}/docs/`) ? href.slice(appUrl.length) : href;
  return own.replace(/^(\/docs)\/index\.md/, "$1").replace(/^(\/docs\/[^#?]*)\.md(?=#|$)/, "$1");
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ("tokens" in token && token.tokens !== undefined) return plainText(token.tokens);
      return "text" in token ? String(token.text) : "";
    })
    .join("");
}
