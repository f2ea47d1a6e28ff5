import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "../../domain/escape-html.ts";
import { ICON } from "../discovery/pages/layout.ts";
import type { HttpAnswer } from "../http/http.ts";

const STYLE = readFileSync(join(import.meta.dirname, "sign-in.css"), "utf8")
  .replaceAll(/\s+/g, " ")
  .trim();

/** Runs no script but a file of the service, where a page has one. */
const policy = (formTarget: string | undefined, hasScript: boolean): string =>
  [
    "default-src 'self'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    `script-src ${hasScript ? "'self'" : "'none'"}`,
    "img-src data:",
    "base-uri 'none'",
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
  ].join("; ");

/** A same-origin referrer keeps the `Origin` of its forms. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface SignInPage {
  title: string;
  /** HTML below the title. */
  body: string;
  status?: number;
  cookie?: string;
  /** Where the answer to its form may lead, beside this service: a source expression of a content security policy. */
  formTarget?: string;
  /** A page that works without script, with a file of ours that adds to it. */
  hasScript?: boolean;
}

export function renderPage({
  title,
  body,
  status = 200,
  cookie,
  formTarget,
  hasScript = false,
}: SignInPage): HttpAnswer {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Wayfare</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<header><a class="brand" href="/">Wayfare</a></header>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
  const headers = { ...HEADERS, "content-security-policy": policy(formTarget, hasScript) };
  return { status, headers: { ...headers, ...(cookie === undefined ? {} : { "set-cookie": cookie }) }, body: html };
}

/** While the database is away. A link takes the browser to the same page once more. */
export const awayPage = (address: string): HttpAnswer =>
  renderPage({
    title: "Try again in a moment",
    status: 503,
    body: `${paragraph("The service cannot reach its database. Nothing is lost; whoever was signed in still is.")}
<p><a class="button" href="${escapeHtml(address)}">Try again</a></p>`,
  });

/** `path` is one of our own: no part of a request names another site. */
export function redirect(path: string, cookie?: string): HttpAnswer {
  const headers = { location: path, "cache-control": "no-store", "referrer-policy": "same-origin" };
  return { status: 303, headers: { ...headers, ...(cookie === undefined ? {} : { "set-cookie": cookie }) }, body: "" };
}

export const paragraph = (text: string, className = ""): string =>
  `<p${className === "" ? "" : ` class="${className}"`}>${escapeHtml(text)}</p>`;

/** A field with its label; `error` is read with it. */
export function field(options: {
  name: string;
  label: string;
  /** Further attributes, as HTML. */
  attributes: string;
  hint?: string;
  error?: string | undefined;
  value?: string;
}): string {
  const { name, label, attributes, hint, error, value = "" } = options;
  const described = [hint === undefined ? "" : `${name}-hint`, error === undefined ? "" : `${name}-error`]
    .join(" ")
    .trim();
  return `<label for="${name}">${escapeHtml(label)}</label>
${hint === undefined ? "" : `<p class="hint" id="${name}-hint">${escapeHtml(hint)}</p>`}
<input id="${name}" name="${name}" value="${escapeHtml(value)}" required ${attributes}${described === "" ? "" : ` aria-describedby="${described}"`}${error === undefined ? "" : ' aria-invalid="true"'}>
${error === undefined ? "" : `<p class="error" id="${name}-error">${escapeHtml(error)}</p>`}`;
}

export const hidden = (name: string, value: string): string =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
