import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, so that no long one is left for the end with one worker at it. Those that compute and those that mostly
 * wait for processes take turns: they go well together.
 */
const LONGEST: readonly string[] = [
  "chaos",
  "forge",
  "environments",
  "failed-runs",
  "scanner",
  "start",
  "mcp-fast-path",
  "exchanged-escrow",
  "plans",
  "read-document",
  "covered-orders",
  "e-invoices",
  "refusals",
  "duffel-tolerance",
  "openapi",
  "trip-tools",
  "book-flight",
  "mcp-bad-input",
  "approved-flights",
  "commands",
  "servicing-change",
  "escrow-model",
  "claims",
  "answers-again",
  "stays-and-trips",
  "guest-travels",
  "repeated-bookings",
  "large-bodies",
  "escrow-repeats",
  "mcp-clients",
  "servicing-cancel",
  "live-escrow",
  "chain-faults",
  "treasury-bookings",
  "workflows-runs",
  "events-orders",
  "events-late",
  "live-native",
  "live-refusals",
  "limits",
  "invoices",
  "currencies",
  "entry-rules",
  "nearby-briefs",
  "erasure",
  "stays-booking",
  "bad-input",
];

/** The place of a file in the order, by its name. Files that are not named come after those that are, as vitest has them. */
function findPlace({ moduleId }: TestSpecification): number {
  const name = moduleId.replace(/^.*\//, "").replace(/\.test\.ts$/, "");
  const place = LONGEST.indexOf(name);
  return place === -1 ? LONGEST.length : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Isolated files come last: a worker that shares something with its next file ends before one of them.
    const isIsolated = ({ project }: TestSpecification): number => Number(project.config.isolate);
    return sorted.toSorted((one, other) => isIsolated(one) - isIsolated(other) || findPlace(one) - findPlace(other));
  }
}
