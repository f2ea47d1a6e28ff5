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
  "account",
  "travelers",
  "usage",
  "workflows",
  "approvals",
] as const;
export type ToolArea = (typeof toolAreas)[number];

export const effects = ["read", "write", "spend"] as const;
export type Effect = (typeof effects)[number];

export const EVERYTHING = "*";

/** Only keys of persons have it, and `*` does not hold it: an agent never decides what it asks for. */
export const DECIDES_APPROVALS = "approvals:decide";

export function scopeOf(area: ToolArea, effect: Effect): string {
  return `${area}:${effect}`;
}

/** Whether one of these is enough; no scope at all is asked of who needs none. */
export function hasOneOf(scopes: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((scope) => hasScope(scopes, scope));
}

/** As documents name them. */
export function sayScopes(scopes: readonly string[]): string {
  return scopes.length === 0 ? "none of its own" : scopes.map((scope) => `\`${scope}\``).join(" or ");
}

export function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(scope) || (scope !== DECIDES_APPROVALS && scopes.includes(EVERYTHING));
}

export const knownScopes: readonly string[] = [
  EVERYTHING,
  ...toolAreas.flatMap((area) => effects.map((effect) => scopeOf(area, effect))),
  DECIDES_APPROVALS,
];

/** Traveler profiles hold passports, so a production key reads them only when its owner asked for that. */
const productionScopes: readonly string[] = [
  ...toolAreas.filter((area) => area !== "travelers").map((area) => scopeOf(area, "read")),
  "reputation:write",
];

export function defaultScopes(environment: "sandbox" | "production"): readonly string[] {
  return environment === "sandbox" ? [EVERYTHING] : productionScopes;
}

export function findUnknownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => !knownScopes.includes(scope));
}
