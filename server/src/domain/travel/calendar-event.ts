import { createHash } from "node:crypto";

const SEQUENCE_EPOCH = Temporal.Instant.from("2026-01-01T00:00:00Z");

/** The id of an event, which follows from its subject, so that a new calendar file replaces the events of an earlier one. */
export function hashUid(subject: string, part: string): string {
  return `${createHash("sha256").update(`${subject}\n${part}`).digest("hex").slice(0, 40)}@wayfare`;
}

/** Rises with time without stored state: in seconds, which fit for the next decades. */
export function sequenceAt(madeAt: Temporal.Instant): number {
  return Math.max(0, Math.floor(madeAt.since(SEQUENCE_EPOCH).total("seconds")));
}
