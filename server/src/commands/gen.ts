import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import { catalog, tenantEvents } from "../contributions.ts";
import { endProcess } from "../platform/process/end-process.ts";
import { configPage } from "./gen/config-page.ts";
import { dataSetsPage } from "./gen/data-sets-page.ts";
import { errorPages, errorsPage } from "./gen/errors-page.ts";
import { eventTypesPage } from "./gen/event-types-page.ts";
import { examplePages } from "./gen/example-pages.ts";
import { generateClient } from "./gen/generate-client.ts";
import { licencesFiles } from "./gen/licences-page.ts";
import { pricesPage } from "./gen/prices-page.ts";
import { runExamples } from "./gen/run-examples.ts";
import type { RanExample } from "./gen/run-in-order.ts";
import { scanReasonsPage } from "./gen/scan-reasons-page.ts";
import { tableTypes } from "./gen/table-types.ts";
import { toolPage, toolSnapshot, toolsPage } from "./gen/tool-pages.ts";
import { comparePages, writePages } from "./gen/write-pages.ts";

/**
 * Writes the files generated from the code: pages, snapshots, table types and the typed client. `--check` writes
 * nothing and fails if one is outdated.
 */

const repository = resolve(import.meta.dirname, "../../..");
const docs = resolve(repository, "docs");
const database = resolve(repository, "server/src/platform/database");
const client = resolve(repository, "client");
const CHARACTERS_PER_TOKEN = 4;
const isCheck = process.argv.includes("--check");

function allPages(examples: ReadonlyMap<string, RanExample>): ReadonlyMap<string, string> {
  return new Map([
    ["config.md", configPage()],
    ["data-sets.md", dataSetsPage()],
    ["errors.md", errorsPage(catalog)],
    ["event-types.md", eventTypesPage(tenantEvents)],
    ...errorPages(catalog),
    ...licencesFiles(),
    ["prices.md", pricesPage(catalog)],
    ["scan-reasons.md", scanReasonsPage()],
    ["tools.md", toolsPage(catalog)],
    ...examplePages(resolve(repository, "examples")),
    ...catalog.entries.flatMap((entry): [string, string][] => {
      const example = examples.get(entry.tool.name);
      if (example === undefined) throw new Error(`The example of ${entry.tool.name} did not run.`);
      return [
        [`tools/${entry.tool.name}.md`, toolPage(entry, example)],
        [`tools/${entry.tool.name}.json`, toolSnapshot(entry)],
      ];
    }),
  ]);
}

/** The size of the tool list for a client's model, without the output schemas. */
function listTokens(): number {
  const list = catalog.entries.map(({ tool, inputSchema }) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
  }));
  return Math.ceil(JSON.stringify(list).length / CHARACTERS_PER_TOKEN);
}

/** Each folder with its expected contents. Tables and examples share a temporary database, created and migrated once. */
async function allFolders(dataDir: string): Promise<readonly (readonly [string, ReadonlyMap<string, string>])[]> {
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: "0",
    EDGE_PORT: "0",
    LOG_LEVEL: "fatal",
    // The default suits clients: a busy machine may need longer for the example of a scan.
    SCAN_TIMEOUT_SECONDS: "170",
  });
  const tables = new Map([["generated-tables.ts", await tableTypes(config)]]);
  // First, since a store over a new table compiles only with its type, even if the examples fail.
  if (!isCheck) writePages(database, tables, comparePages(database, tables));
  const { byTool, apiDescription } = await runExamples(catalog.entries, config);
  const clientFiles = await generateClient(client, apiDescription);
  return [
    [database, tables],
    [docs, allPages(byTool)],
    [resolve(client, "src/generated"), clientFiles],
  ];
}

const dataDir = mkdtempSync(join(tmpdir(), "wayfare-gen-"));
try {
  const folders = (await allFolders(dataDir)).map(([folder, wanted]) => ({
    folder,
    wanted,
    differences: comparePages(folder, wanted),
  }));
  const written = folders.flatMap(({ differences }) => differences.stale);
  const removed = folders.flatMap(({ differences }) => differences.orphans);
  if (!isCheck) {
    for (const { folder, wanted, differences } of folders) writePages(folder, wanted, differences);
    process.stdout.write(
      `${written.length} written, ${removed.length} removed; the list of ${catalog.entries.length} tools is about ${listTokens()} tokens.\n`,
    );
  } else if (written.length + removed.length > 0) {
    const wrong = folders.flatMap(({ folder, differences: { stale, orphans } }) =>
      [...stale, ...orphans].map((path) => relative(repository, resolve(folder, path))),
    );
    process.stderr.write(`Not fresh: ${wrong.join(", ")}. Run: npm run gen\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write("Generated files are fresh.\n");
  }
} catch (error) {
  process.stderr.write(`Not generated: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
endProcess(process.exitCode === 1 ? 1 : 0);
