import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ICON, STYLE } from "../discovery/layout.ts";
import type { Routes } from "../http/hosts.ts";

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

// In the page itself: it is then one request, whose address is all that a server ever sees of the link.
const style = `${STYLE} ${read("claim.css").replaceAll(/\s+/g, " ").trim()}`;
const script = [
  read("checksum.js").replaceAll(/^export /gm, ""),
  read("claim.js").replaceAll(/^import .*;\n/gm, ""),
].join("\n");

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
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

/**
 * Where guest links lead: the same page for every trip. Its script keeps the link's secret, which browsers do not send, out of the
 * address bar and asks the guests' routes of the API.
 */
export function claimPageRoutes(claimPath: string): Routes {
  const html = renderPage();
  return [{ method: "GET", path: `${claimPath}/:tripId`, webHandler: () => new Response(html, { headers }) }];
}

function renderPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Accept a trip · Wayfare</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<header><span class="brand">Wayfare</span></header>
<main class="claim" id="content">
<noscript>
<h1>This page needs JavaScript</h1>
<p>Your link has a secret behind its <code>#</code>, which browsers send to nobody: only a program in your own browser can read it. Switch JavaScript on for this page, or open the link in another browser.</p>
</noscript>
<h1 id="title" tabindex="-1" hidden></h1>
<p id="words" class="lead" hidden></p>
<p id="trial" class="trial" hidden>This is a trial: it is test money, without any value.</p>
<dl id="facts" hidden></dl>
<div id="summary" hidden>
<h2 id="summary-title"></h2>
<blockquote id="summary-text" aria-labelledby="summary-title"></blockquote>
</div>
<form id="form" novalidate hidden>
<div class="field">
<label for="wallet">Address of your wallet</label>
<div class="beside">
<input id="wallet" name="wallet" type="text" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder="0x…" maxlength="400" required aria-describedby="wallet-hint wallet-ends wallet-error">
<button id="paste" type="button" class="plain" hidden>Paste</button>
</div>
<p class="hint" id="wallet-hint">0x and 40 digits and letters. The address is all that is needed: never your private key, never your recovery phrase.</p>
<p class="hint" id="wallet-ends"></p>
<p class="error" id="wallet-error" hidden></p>
</div>
<div class="field" id="code-field" hidden>
<label for="code">Code of six digits</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="11" required aria-describedby="code-hint code-error">
<p class="hint" id="code-hint"></p>
<p class="error" id="code-error" hidden></p>
</div>
<button id="accept" type="submit">Accept the trip</button>
</form>
<p id="again-line" hidden><button id="again" type="button">Try again</button></p>
<p id="news" role="status" aria-live="polite"></p>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
}
