import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ICON, STYLE } from "../discovery/pages/layout.ts";

interface LinkPage {
  /** The folder of the page's own files. */
  folder: string;
  /** CSS and scripts of the page, in this order. */
  styles: readonly string[];
  scripts: readonly string[];
  title: string;
  /** The class of the page's main element. */
  className: string;
  body: string;
}

/**
 * A page behind a signed link, the same for everyone: its script takes the link's secret, which browsers send to no server, out
 * of the address bar and calls the service. Style and script are inlined, so that the page is one request, whose address is all
 * that a server ever sees of the link.
 */
export function linkPage({ folder, styles, scripts, title, className, body }: LinkPage): () => Response {
  const own = (files: readonly string[]) => files.map((file) => join(folder, file));
  const shared = (file: string) => join(import.meta.dirname, file);
  const css = [shared("link-page.css"), ...own(styles)].map(read).join("\n").replaceAll(/\s+/g, " ").trim();
  const style = `${STYLE} ${css}`;
  const script = [shared("link-page.js"), ...own(scripts)].map(readScript).join("\n");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title} · Wayfare</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<header><span class="brand">Wayfare</span></header>
<main class="linked ${className}" id="content">
<noscript>
<h1>This page needs JavaScript</h1>
<p>Your link contains a secret after its <code>#</code>, which browsers never send to a server: only a script in your own browser can read it. Enable JavaScript for this page, or open the link in another browser.</p>
</noscript>
<h1 id="title" tabindex="-1" hidden></h1>
<p id="words" class="lead" hidden></p>
${body}
<p id="again-line" hidden><button id="again" type="button">Try again</button></p>
<p id="news" role="status" aria-live="polite"></p>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
  const headers = headersFor(style, script);
  return () => new Response(html, { headers });
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}

/** Concatenates the scripts. */
function readScript(file: string): string {
  return read(file)
    .replaceAll(/^export /gm, "")
    .replaceAll(/^import .*;\n/gm, "");
}

function headersFor(style: string, script: string): Record<string, string> {
  const hashSource = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${hashSource(style)}`,
      `script-src ${hashSource(script)}`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; "),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow, noarchive",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
