import { hasScope } from "../../domain/scopes.ts";
import type { OrderRecord } from "./orders.ts";

/** Any one of them is enough for a tool that shows orders; which orders it shows follows from them. */
export const ORDER_SCOPES = ["flights:read", "stays:read"] as const;

/** The kinds of orders that a key may read. */
export function readableKinds(scopes: readonly string[]): OrderRecord["kind"][] {
  return [
    ...(hasScope(scopes, "flights:read") ? (["flight"] as const) : []),
    ...(hasScope(scopes, "stays:read") ? (["stay"] as const) : []),
  ];
}
