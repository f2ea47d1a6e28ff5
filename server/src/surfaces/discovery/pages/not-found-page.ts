import { HTML, htmlHeaders, renderDocument } from "./layout.ts";
import { prefersHtml } from "./preferred-type.ts";

/**
 * The 404 page for people, with links to existing pages. Undefined: the caller does not accept HTML and gets a problem. Nothing
 * of the address is repeated in it.
 */
export function createNotFoundPage(appUrl: string): (request: Request) => Response | undefined {
  const html = renderDocument({
    title: "Nothing here · Wayfare",
    description: "There is nothing at this address.",
    hasPageList: false,
    // Absolute, because the edge host has no pages.
    siteUrl: appUrl,
    body: `<main class="landing" id="content">
<h1>There is nothing here</h1>
<p class="lead">The URL may be misspelled, or the page may have moved. Programs that ask for JSON get a problem object instead.</p>
<ul>
<li><a href="${appUrl}/docs">Documentation</a>, with a page for every tool and every error</li>
<li><a href="${appUrl}/reference">API reference</a>, with every endpoint of this service</li>
<li><a href="${appUrl}/">Home</a></li>
</ul>
</main>`,
  });
  return (request) => {
    if (!["GET", "HEAD"].includes(request.method) || !prefersHtml(request)) return undefined;
    const headers = { ...htmlHeaders, "content-type": HTML, "cache-control": "no-store", vary: "accept" };
    return new Response(html, { status: 404, headers });
  };
}
