import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { escapeHtml } from "../../domain/escape-html.ts";
import { DASHBOARD_PATH, SIGN_IN_PATH } from "../../domain/page-paths.ts";
import { isDatabaseAway } from "../../platform/database/transient.ts";
import type { SignIn } from "../../ports/sign-in.ts";
import { ICON } from "../discovery/pages/layout.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { awayPage } from "../sign-in/render-page.ts";
import { createSessionCookies, csrfToken } from "../sign-in/session-cookies.ts";

/** The dashboard's built files. */
export interface DashboardBundle {
  folder: string;
  entry: string;
  preloads: readonly string[];
  style: string;
}

interface DashboardOptions {
  bundle: DashboardBundle;
  signIn: Pick<SignIn, "find" | "memberships">;
  appUrl: string;
}

const ASSETS_PATH = "/dashboard-files";
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // A same-origin referrer keeps the `Origin` of the form that signs out.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** The dashboard: one page for people who are signed in, whose script calls the public routes, and its files for everybody. */
export function dashboardPages({ bundle, signIn, appUrl }: DashboardOptions): Routes {
  const { host, origin } = new URL(appUrl);
  const cookies = createSessionCookies(appUrl);
  const show: HttpHandler = async (request) => {
    if (request.header("host") !== host) return redirect(`${origin}${DASHBOARD_PATH}`);
    const token = cookies.readSession(request.header("cookie"));
    const signedIn = token === undefined ? undefined : await signIn.find(token);
    if (token === undefined || signedIn === undefined) {
      return redirect(`${SIGN_IN_PATH}?next=${encodeURIComponent(readAddress(request))}`);
    }
    const others = (await signIn.memberships(token)).filter(
      ({ tenantId, environment }) =>
        tenantId !== signedIn.member.tenantId || environment !== signedIn.member.environment,
    );
    const body = renderShell(bundle, csrfToken(token), [signedIn.member, ...others]);
    return { status: 200, headers: { ...PAGE_HEADERS }, body };
  };
  const page: HttpHandler = async (request) => {
    try {
      return await show(request);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      return awayPage(readAddress(request));
    }
  };
  return [
    { method: "GET", path: DASHBOARD_PATH, handler: page },
    { method: "GET", path: `${DASHBOARD_PATH}/*`, handler: page },
    ...fileRoutes(bundle),
  ];
}

/** With what the address keeps, such as the request that is to be approved. */
const readAddress = ({ path, query }: HttpRequest): string => (query.size === 0 ? path : `${path}?${query}`);

function redirect(location: string): HttpAnswer {
  return { status: 303, headers: { location, "cache-control": "no-store" }, body: "" };
}

/** Compressed, as a first visit waits for them. Their names change with their contents. */
function fileRoutes({ folder }: DashboardBundle): Routes {
  return readdirSync(folder).flatMap((name) => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const webHandler = cachedAnswer(bytes, {
      contentType: type,
      cacheControl: "public, max-age=31536000, immutable",
      headers: { "cross-origin-resource-policy": "same-origin" },
    });
    return cachedRoutes(`${ASSETS_PATH}/${name}`, webHandler);
  });
}

function renderShell(
  { entry, preloads, style }: DashboardBundle,
  csrf: string,
  memberships: readonly object[],
): string {
  const file = (name: string) => `${ASSETS_PATH}/${escapeHtml(name)}`;
  const preload = (name: string) => `<link rel="modulepreload" href="${file(name)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wayfare</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${file(style)}">
${preloads.map(preload).join("\n")}
<script type="module" src="${file(entry)}"></script>
</head>
<body>
<noscript><p>The dashboard needs JavaScript. Everything that it shows can also be read with an API key.</p></noscript>
<div id="root" data-csrf="${escapeHtml(csrf)}" data-memberships="${escapeHtml(JSON.stringify(memberships))}"></div>
</body>
</html>
`;
}
