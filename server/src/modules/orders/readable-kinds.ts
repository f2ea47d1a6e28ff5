import { hasScope } from "../../domain/scopes.ts";
import type { OrderRecord } from "./orders.ts";

/** Any of these is enough for a tool that shows orders; the tool shows the orders that the key's scopes allow. */
export const ORDER_SCOPES = ["flights:read", "stays:read"] as const;

/** The kinds of orders that a key with these scopes may read. */
export function readableKinds(scopes: readonly string[]): OrderRecord["kind"][] {
  return [
    ...(hasScope(scopes, "flights:read") ? (["flight"] as const) : []),
    ...(hasScope(scopes, "stays:read") ? (["stay"] as const) : []),
  ];
}
