import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ICON, STYLE } from "../discovery/layout.ts";
import type { Routes } from "../http/hosts.ts";

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

const style = `${STYLE} ${read("approve.css").replaceAll(/\s+/g, " ").trim()}`;
const script = read("approve.js");
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

/** Where the links of approvers lead: the same page for every approval. Its script keeps the link's secret out of the address bar. */
export function approvePageRoutes(approvePath: string): Routes {
  const path = `${approvePath}/:approvalId/:personId`;
  return [{ method: "GET", path, webHandler: () => new Response(HTML, { headers }) }];
}

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>Approval · Wayfare</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
<header><span class="brand">Wayfare</span></header>
<main class="approve" id="content">
<noscript><h1>This page needs JavaScript</h1><p>Your link has a secret behind its <code>#</code>, which only a program in your own browser can read.</p></noscript>
<h1 id="title" tabindex="-1"></h1>
<p id="words" class="lead"></p>
<p id="trial" class="trial" hidden>This is a trial: nothing real is bought, and no real money moves.</p>
<dl id="facts" hidden></dl>
<section id="why" hidden><h2>Why it needs you</h2><ul id="violations"></ul></section>
<form id="form" novalidate hidden>
<label for="reason">Reason <span class="hint">(needed to reject)</span></label>
<textarea id="reason" rows="3" maxlength="1000" aria-describedby="reason-error"></textarea>
<p class="error" id="reason-error" hidden></p>
<div class="buttons"><button type="button" id="approve">Approve</button><button type="button" id="reject" class="plain">Reject</button></div>
</form>
<p id="again-line" hidden><button id="again" type="button">Try again</button></p>
<p id="news" role="status" aria-live="polite"></p>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
