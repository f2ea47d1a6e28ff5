import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, so that no long one is left for the end with one worker at it. Those that compute and those that mostly
 * wait for processes take turns: they go well together.
 */
const LONGEST: readonly string[] = [
  "chaos",
  "embedded-postgres",
  "embedded-sharing",
  "devnet-files",
  "webhooks-late",
  "mcp-restart",
  "forge",
  "live-refusals",
  "conformance",
  "start",
  "artifacts",
  "chain-kill",
  "live-network",
  "durability",
  "repeat",
  "chain-command",
  "webhooks-orders",
  "webhooks-ticketing",
  "chain-faults",
  "reference-page",
  "openapi-client",
  "commands",
  "product",
  "mcp-clients",
  "devnet-crash",
  "devnet-sequencer",
  "dispatch-stop",
  "inspector",
];

/** The place of a file in the order, by its name. Files that are not named come after those that are, as vitest has them. */
function placeOf({ moduleId }: TestSpecification): number {
  const name = moduleId.replace(/^.*\//, "").replace(/\.test\.ts$/, "");
  const place = LONGEST.indexOf(name);
  return place === -1 ? LONGEST.length : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Isolated files come last: a worker that shares something with its next file ends before one of them.
    const isIsolated = ({ project }: TestSpecification): number => Number(project.config.isolate);
    return sorted.toSorted((one, other) => isIsolated(one) - isIsolated(other) || placeOf(one) - placeOf(other));
  }
}
