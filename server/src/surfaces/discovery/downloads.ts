import type { Routes, WebHandler } from "../http/hosts.ts";
import { notFound } from "./not-found.ts";

/** A single file name: no folder, nothing hidden, nothing that a browser or a release server could interpret. */
const BUNDLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const PREFIX = "/downloads/";

/** Redirects to the latest release artifact of that name, wherever the operator keeps releases. */
export function downloadRoutes(releaseDownloadsUrl: string | undefined, appUrl: string): Routes {
  const webHandler: WebHandler = (request) => {
    const bundle = new URL(request.url).pathname.slice(PREFIX.length);
    if (!BUNDLE.test(bundle) || bundle.includes("..")) {
      return notFound(request, appUrl, "Downloads are named by letters, digits, dots, dashes and underscores.");
    }
    if (releaseDownloadsUrl === undefined) {
      return notFound(
        request,
        appUrl,
        "This deployment offers no downloads; its operator sets RELEASE_DOWNLOADS_URL to offer them.",
      );
    }
    return new Response(null, {
      status: 302,
      headers: {
        location: `${releaseDownloadsUrl}/${bundle}`,
        "access-control-allow-origin": "*",
        "cache-control": "max-age=3600",
      },
    });
  };
  return [{ method: "GET", path: `${PREFIX}*`, webHandler }];
}
