import type { Catalog } from "../../kernel/contracts/catalog.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpHandler } from "../http/http.ts";
import { PAID_TOOLS_PATH, paidToolPath } from "./price-tags.ts";

/** The paths of existing tools, which are served without a router. */
export function paidToolPaths(catalog: Catalog): readonly string[] {
  return catalog.names().map(paidToolPath);
}

/** Every other name, which is answered like a tool: that there is none, with similar names. */
export function unknownToolRoutes(servePaid: HttpHandler): Routes {
  const path = `${PAID_TOOLS_PATH}/:tool`;
  return (["GET", "POST", "OPTIONS"] as const).map((method) => ({ method, path, handler: servePaid }));
}
