import type { Routes } from "../http/hosts.ts";
import { linkPage } from "../links/link-page.ts";

/** The page on which a person ends notices of a kind. */
export function unsubscribePageRoutes(path: string): Routes {
  const page = linkPage({
    folder: import.meta.dirname,
    styles: [],
    scripts: ["unsubscribe.js"],
    title: "Notices",
    className: "unsubscribe",
    body: '<form id="form" novalidate hidden><div class="buttons"><button type="button" id="end">End these mails</button></div></form>',
  });
  return [{ method: "GET", path, webHandler: page }];
}
