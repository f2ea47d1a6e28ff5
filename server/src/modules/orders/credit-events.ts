import type { CancellationQuote } from "../../ports/supplier/flight-servicing.ts";

/** The airline credits that a cancellation issued, each recorded once regardless of its source. */
export function creditEvents({ id, credits }: Pick<CancellationQuote, "id" | "credits">) {
  return credits.map((credit, index) => ({
    kind: "credit_issued",
    key: credit.id ?? `${id}-${index}`,
    details: { ...credit },
  }));
}
