import {
  ADMINISTERS_KEYS,
  ADMINISTERS_SANDBOX,
  administerScopes,
  buildScope,
  DECIDES_APPROVALS,
  defaultScopes,
  EVERYTHING,
  hasScope,
  personalScopes,
  READS_AUDIT,
  type ToolArea,
  toolAreas,
} from "../../domain/scopes.ts";
import type { Environment } from "../../ports/identity.ts";
import type { PersonRole } from "./persons.ts";

const DECIDERS: readonly PersonRole[] = ["approver", "finance", "admin", "owner"];
const ADMINISTRATORS: readonly PersonRole[] = ["admin", "owner"];
const AUDITORS: readonly PersonRole[] = ["auditor", "admin", "owner"];
const CALLERS: readonly PersonRole[] = ["traveler", "booker", "admin", "owner", "developer"];
/** In a browser they act for themselves, also with real money; what spends asks them to have signed in recently. */
const BOOKERS: readonly PersonRole[] = ["booker", "admin", "owner"];
/** They look at everything but people's documents. */
const READERS: readonly PersonRole[] = ["auditor", "finance", "developer"];
const READ_BY_APPROVERS: readonly ToolArea[] = ["approvals", "policy", "trip", "account", "usage"];

const readScopes = toolAreas.filter((area) => area !== "travelers").map((area) => buildScope(area, "read"));

/** The scopes of a person with these roles, for a key of their own or for their sessions. */
export function grantScopes(
  roles: readonly PersonRole[],
  environment: Environment,
  holder: "key" | "session",
): readonly string[] {
  const has = (some: readonly PersonRole[]) => roles.some((role) => some.includes(role));
  const ofSessions =
    holder === "key"
      ? []
      : [
          ...(has(BOOKERS) ? [EVERYTHING] : []),
          ...(has(READERS) ? readScopes : []),
          ...(has(["approver"]) ? READ_BY_APPROVERS.map((area) => buildScope(area, "read")) : []),
          buildScope("account", "read"),
        ];
  const all = new Set([
    ...(has(CALLERS) ? defaultScopes(environment) : []),
    ...(has(["auditor"]) ? readScopes : []),
    ...(has(DECIDERS) ? [buildScope("approvals", "read"), DECIDES_APPROVALS] : []),
    ...(has(AUDITORS) ? [READS_AUDIT] : []),
    ...(has(ADMINISTRATORS) ? administerScopes : []),
    ...(has(["developer"]) ? [ADMINISTERS_KEYS, ADMINISTERS_SANDBOX] : []),
    ...ofSessions,
  ]);
  return [...all];
}

/** The scopes of an agent that the person has connected: those that the person allowed, while their roles still allow them. */
export function limitGrant(
  granted: readonly string[],
  roles: readonly PersonRole[],
  environment: Environment,
): readonly string[] {
  const own = grantScopes(roles, environment, "session").filter((scope) => !personalScopes.includes(scope));
  return granted.includes(EVERYTHING)
    ? own
    : granted.filter((scope) => !personalScopes.includes(scope) && hasScope(own, scope));
}
