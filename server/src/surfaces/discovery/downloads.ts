import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Routes, WebHandler } from "../http/hosts.ts";
import { notFound } from "./not-found.ts";

/** A single file name: no folder, nothing hidden, nothing that a browser or a release server could interpret. */
const BUNDLE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const PREFIX = "/downloads/";

interface DownloadOptions {
  releaseDownloadsUrl: string | undefined;
  /** Contains what was built in this checkout. */
  builtFolder: string;
  appUrl: string;
}

/** Redirects to the latest release artifact of that name, wherever the operator keeps releases; else serves the built file. */
export function downloadRoutes({ releaseDownloadsUrl, builtFolder, appUrl }: DownloadOptions): Routes {
  const webHandler: WebHandler = async (request) => {
    const bundle = new URL(request.url).pathname.slice(PREFIX.length);
    if (!BUNDLE.test(bundle) || bundle.includes("..")) {
      return notFound(request, appUrl, "Names of downloads consist of letters, digits, dots, dashes and underscores.");
    }
    if (releaseDownloadsUrl === undefined) {
      const built = await readBuilt(join(builtFolder, bundle));
      if (built !== undefined) return sendBuilt(bundle, built);
      return notFound(
        request,
        appUrl,
        "This deployment does not offer this download. Its operator sets RELEASE_DOWNLOADS_URL, or builds the bundle with npm run bundle, to offer it.",
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

async function readBuilt(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(path));
  } catch {
    return undefined;
  }
}

function sendBuilt(name: string, bytes: Uint8Array<ArrayBuffer>): Response {
  const isChecksum = name.endsWith(".sha256");
  return new Response(bytes, {
    headers: {
      "content-type": isChecksum ? "text/plain; charset=utf-8" : "application/octet-stream",
      ...(isChecksum ? {} : { "content-disposition": `attachment; filename="${name}"` }),
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "cache-control": "no-cache",
    },
  });
}
