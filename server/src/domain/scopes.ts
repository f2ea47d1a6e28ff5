/** What a key may do: `*`, or `<area>:<effect>`. */

/** Areas that tools belong to. */
export const toolAreas = [
  "flights",
  "stays",
  "treasury",
  "escrow",
  "policy",
  "reputation",
  "trip",
  "documents",
] as const;
export type ToolArea = (typeof toolAreas)[number];

/** Areas that only have resource routes. */
const resourceAreas = ["travelers", "usage"] as const;
export type Area = ToolArea | (typeof resourceAreas)[number];

export const effects = ["read", "write", "spend"] as const;
export type Effect = (typeof effects)[number];

export const EVERYTHING = "*";

export function scopeOf(area: Area, effect: Effect): string {
  return `${area}:${effect}`;
}

export function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(EVERYTHING) || scopes.includes(scope);
}

export const knownScopes: readonly string[] = [
  EVERYTHING,
  ...toolAreas.flatMap((area) => effects.map((effect) => scopeOf(area, effect))),
  "travelers:read",
  "travelers:write",
  "usage:read",
];

/** Traveler profiles hold passports, so a production key reads them only when its owner asked for that. */
const productionScopes: readonly string[] = [
  ...toolAreas.map((area) => scopeOf(area, "read")),
  "usage:read",
  "reputation:write",
];

export function defaultScopes(environment: "sandbox" | "production"): readonly string[] {
  return environment === "sandbox" ? [EVERYTHING] : productionScopes;
}

export function findUnknownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => !knownScopes.includes(scope));
}
