import { Failure } from "./errors.ts";

/** The permissions of a key: `*`, `<area>:<effect>`, or a scope reserved for keys of persons. */

/** The areas of tools. */
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
  "conversations",
  "events",
] as const;
export type ToolArea = (typeof toolAreas)[number];

export const toolEffects = ["read", "write", "spend"] as const;
export type ToolEffect = (typeof toolEffects)[number];

export const EVERYTHING = "*";

export const DECIDES_APPROVALS = "approvals:decide";
/** Travel policies, including the enforced one, and budgets. */
export const ADMINISTERS_POLICIES = "policy:administer";

export const ADMINISTERS_KEYS = "keys:administer";
/** Who works for the tenant, and with which roles. */
export const ADMINISTERS_MEMBERS = "members:administer";

/** The simulators of the sandbox: faults, clock, changes by airlines. */
export const ADMINISTERS_SANDBOX = "sandbox:administer";
/** Creates tenants and changes their plans; only people of the tenant that operates the deployment can use it. */
export const ADMINISTERS_TENANTS = "tenants:administer";
/** Who did what, and from which address. */
export const READS_AUDIT = "audit:read";

/** Each changes rules that bind keys: spending limits; users and approvers; keys; webhooks; plans; and the ground under all, the simulators. */
export const administerScopes = [
  ADMINISTERS_POLICIES,
  "limits:administer",
  ADMINISTERS_MEMBERS,
  ADMINISTERS_KEYS,
  "webhooks:administer",
  ADMINISTERS_SANDBOX,
  ADMINISTERS_TENANTS,
] as const;

/**
 * Reserved for keys of persons and excluded from `*`: an agent never decides its own requests, lifts no rule that binds it, and
 * does not watch the people that it works for.
 */
export const personalScopes: readonly string[] = [DECIDES_APPROVALS, READS_AUDIT, ...administerScopes];

export function buildScope(area: ToolArea, effect: ToolEffect): string {
  return `${area}:${effect}`;
}

/** Whether one of these is enough; an empty list requires no scope. */
export function hasAnyScope(scopes: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((scope) => hasScope(scopes, scope));
}

/** The list of scopes as in the documentation. */
export function sayScopes(scopes: readonly string[]): string {
  return scopes.length === 0 ? "none of its own" : scopes.map((scope) => `\`${scope}\``).join(" or ");
}

export function hasScope(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(scope) || (!personalScopes.includes(scope) && scopes.includes(EVERYTHING));
}

/**
 * Whether a session needs a recent sign-in for what one of these scopes allows: it spends, decides, or changes rules. Behind the
 * simulators nothing is real.
 */
export function needsRecentSignIn(scopes: readonly string[]): boolean {
  return scopes.some(
    (scope) => scope.endsWith(":spend") || (personalScopes.includes(scope) && scope !== ADMINISTERS_SANDBOX),
  );
}

/** `wanted`: the scopes of which `what` requires one. */
export function missingScope(what: string, wanted: readonly string[]): Failure {
  const holders = wanted.every((scope) => personalScopes.includes(scope))
    ? "Only a person's own key can have it, and * does not include it: ask a person who administers your tenant."
    : "Use a key that has it.";
  return new Failure("missing_scope", {
    detail: `The key lacks the scope ${wanted.join(" or ")}, which ${what} needs. ${holders}`,
    extra: { scope: wanted[0] },
  });
}

export const knownScopes: readonly string[] = [
  EVERYTHING,
  ...toolAreas.flatMap((area) => toolEffects.map((effect) => buildScope(area, effect))),
  ...personalScopes,
];

/** Traveler profiles contain passports, so a production key reads them only at its owner's request. */
const productionScopes: readonly string[] = [
  ...toolAreas.filter((area) => area !== "travelers").map((area) => buildScope(area, "read")),
  "reputation:write",
];

export function defaultScopes(environment: "sandbox" | "production"): readonly string[] {
  return environment === "sandbox" ? [EVERYTHING] : productionScopes;
}

export function findUnknownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => !knownScopes.includes(scope));
}
