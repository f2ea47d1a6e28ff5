/**
 * Names of values that a calling agent may keep (interface specification, "Authentication", 11): ids, references, public addresses of invoices
 * and hashes of transactions. Anything else in a result is left out, above all what is shown once.
 */
const SAFE_NAMES: ReadonlySet<string> = new Set([
  ...["tripId", "bookingId", "workflowId", "runId", "sessionId", "approvalId"],
  ...["offerId", "orderId", "cancellationId", "changeId", "rateId", "quoteId", "pnr"],
  ...["invoiceNumber", "pdfUrl", "jsonUrl", "txHash", "settleTxHash"],
]);

const MOST_OF_A_NAME = 20;
const LONGEST_ID = 300;

/** By name, in the order in which they appear. */
export function collectSafeIds(results: readonly unknown[]): Record<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const result of results) collect(result, found);
  return Object.fromEntries([...found].map(([name, ids]) => [name, [...ids]]));
}

function collect(value: unknown, found: Map<string, Set<string>>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const entry of value) collect(entry, found);
    return;
  }
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === "string" && SAFE_NAMES.has(name) && entry !== "" && entry.length <= LONGEST_ID) {
      const ids = found.get(name) ?? new Set();
      if (ids.size < MOST_OF_A_NAME) ids.add(entry);
      found.set(name, ids);
    } else collect(entry, found);
  }
}
