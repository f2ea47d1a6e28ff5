import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { buildDashboard } from "../src/outside/dashboard/dashboard-bundle.ts";

/** The dashboard's files as they are built: what a browser loads first, with everything that its script asks for at once. */
const MOST_BYTES = 150_000;
const MOST_ADDED_BYTES = 40_000;
const Manifest = z.object({ entry: z.string(), preloads: z.array(z.string()), style: z.string() });

let folder: string;
let manifest: z.infer<typeof Manifest>;
beforeAll(async () => {
  ({ folder } = await buildDashboard());
  manifest = Manifest.parse(JSON.parse(read("manifest.json")));
});

const read = (name: string) => readFileSync(join(folder, name), "utf8");
const compress = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + gzipSync(read(name)).length, 0);

/** The script with all that it imports, and what those import. */
function listLoaded(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ""] of read(name).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
    listLoaded(imported, found);
  }
  return found;
}

it("the page names everything that its script asks for at once, so that nothing is loaded in a row", () => {
  const { entry, preloads } = manifest;
  expect([...listLoaded(entry)].toSorted()).toEqual([entry, ...preloads].toSorted());
});

/** Home is in the entry. Dialogs and charts come with the views that have them. */
it("the first load is under 150 kB, compressed, and no view adds more than 40 kB to it", () => {
  const { entry, style } = manifest;
  const first = new Set([style, ...listLoaded(entry)]);
  expect(compress(first)).toBeLessThan(MOST_BYTES);
  const later = [...read(entry).matchAll(/import\(\s*["'`]\.\/([\w.-]+\.js)["'`]\s*\)/g)];
  const views = new Set(later.map(([, name = ""]) => name));
  expect(views.size).toBeGreaterThan(15);
  for (const view of views) {
    const added = new Set(listLoaded(view)).difference(first);
    expect(compress(added), view).toBeLessThan(MOST_ADDED_BYTES);
  }
});
