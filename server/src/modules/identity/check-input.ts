import { invalidInput } from "../../domain/errors.ts";

const LONGEST_NAME = 100;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Rounds to the database's precision, so that a returned time equals the one read later. */
export function floorToMilliseconds(instant: Temporal.Instant): Temporal.Instant {
  return instant.round({ smallestUnit: "millisecond", roundingMode: "floor" });
}

export function checkName(name: string, path: string): string {
  const trimmed = name.trim();
  if (trimmed.length === 0 || trimmed.length > LONGEST_NAME || CONTROL_CHARACTER.test(trimmed)) {
    throw invalidInput([{ path, message: `must be 1 to ${LONGEST_NAME} characters on one line` }]);
  }
  return trimmed;
}

/** Null: none. */
export function checkOrganization(organizationId: string | null): string | null {
  if (organizationId === null || /^org_\w{1,60}$/.test(organizationId)) return organizationId;
  throw invalidInput([{ path: "organizationId", message: "must be the id of an organization, such as org_2abc…" }]);
}
