import type { ProviderProvenance } from "../../domain/schemas.ts";

/** The reason for a missing answer: no source is configured, or none answered. `what` is such as `weather forecasts`. */
export function whyUnavailable(what: string, { fallbackFrom }: Pick<ProviderProvenance, "fallbackFrom">): string {
  if (fallbackFrom.length === 0) {
    return `No source of ${what} is configured in this service, and nothing is invented. Look it up elsewhere.`;
  }
  const asked = fallbackFrom.map(({ source, reason }) => `${source}: ${reason}`).join(", ");
  if (fallbackFrom.every(({ reason }) => reason === "nothing_found"))
    return `No source of ${what} knows this place (${asked}).`;
  return `The source of ${what} did not answer (${asked}). The same call may work in a few minutes.`;
}
