import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Catalog } from "../../kernel/contracts/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import type { Page } from "../page.ts";
import { crawlRoutes } from "./crawl-files.ts";
import { downloadRoutes } from "./downloads.ts";
import { docsRoutes } from "./pages/docs-pages.ts";
import { landingRoutes } from "./pages/landing.ts";
import { type SecurityContact, securityContactRoutes } from "./security-contact.ts";
import { serverCardRoutes } from "./server-card.ts";

export interface DocumentationOptions {
  catalog: Catalog;
  pages: readonly Page[];
  appUrl: string;
  edgeUrl: string;
  /** The text at the root for clients other than browsers. */
  welcome: string;
  releaseDownloadsUrl: string | undefined;
  security: SecurityContact | undefined;
  clock: Clock;
}

/** Where `npm run bundle` puts the bundle. */
const BUILT_FOLDER = resolve(import.meta.dirname, "../../../../bridge/dist");
const LICENCES_FILE = resolve(import.meta.dirname, "../../../../docs/licences.txt");

/** The licence texts of packages and data, in one file. */
function licenceRoutes(): Routes {
  const read = () => readFileSync(LICENCES_FILE, "utf8");
  return cachedRoutes("/licences.txt", cachedAnswer(read, { contentType: "text/plain; charset=utf-8" }));
}

/** The application host's pages and the files by which it is found. */
export function documentationRoutes(options: DocumentationOptions): Routes {
  return [
    ...landingRoutes(options),
    ...docsRoutes(options),
    ...crawlRoutes(options),
    ...serverCardRoutes({ ...options, builtFolder: BUILT_FOLDER }),
    ...securityContactRoutes(options),
    ...licenceRoutes(),
    ...downloadRoutes({ ...options, builtFolder: BUILT_FOLDER }),
  ];
}
