import { resolve } from "node:path";
import { expect, it } from "vitest";
import { buildGraph } from "./cycles.ts";
import { drawModules } from "./draw-modules.ts";
import { rules } from "./rules.ts";
import { listImports, readSource, type SourceFile } from "./source.ts";

/** Each rule finds what it is there to find: a rule that finds nothing in a spoilt tree holds nothing. */

function file(path: string, ...lines: string[]): SourceFile {
  const text = `${lines.join("\n")}\n`;
  return { path, text, imports: listImports(text) };
}

const importing = (path: string, specifier: string): SourceFile => file(path, `import type { X } from "${specifier}";`);
const contextFile = (name: string, ...needs: string[]): SourceFile =>
  file(
    `server/src/modules/${name}/context.ts`,
    `type Needs = ${needs.map((need) => `"${need}"`).join(" | ") || "never"};`,
    `type Seen = "${name}" | Needs;`,
    "export type Stores = StoresOf<Seen>;",
  );
const offering = (path: string, registry: string, ...names: string[]): SourceFile =>
  file(path, `  interface ${registry} {`, ...names.map((name) => `    readonly "${name}": Things;`), "  }");
const migrating = (name: string, table: string): SourceFile =>
  file(`server/src/modules/${name}/migrations/0001-x.ts`, `create table ${table} (`);

const spoilt: Readonly<Record<keyof typeof rules, readonly (readonly SourceFile[])[]>> = {
  "folders import only what they may": [
    [importing("server/src/domain/money.ts", "../platform/clock.ts")],
    [importing("server/src/kernel/contracts/tool.ts", "../../modules/trips/index.ts")],
    [importing("server/src/surfaces/http/x.ts", "../../modules/trips/index.ts")],
    [importing("server/src/adapters/one/x.ts", "../other/y.ts")],
    [file("server/src/new-room/x.ts")],
  ],
  "modules use only the modules that they need": [
    [contextFile("one"), importing("server/src/modules/one/x.ts", "../two/index.ts")],
    [
      contextFile("one", "two"),
      contextFile("two"),
      importing("server/src/modules/one/tools/x.ts", "../../two/store.ts"),
    ],
    [contextFile("one", "two"), contextFile("two")],
    [
      ...[contextFile("one", "two"), importing("server/src/modules/one/x.ts", "../two/index.ts")],
      ...[contextFile("two", "one"), importing("server/src/modules/two/x.ts", "../one/index.ts")],
    ],
    [
      ...[contextFile("one"), contextFile("two"), migrating("two", "big_thing")],
      file("server/src/modules/one/store.ts", 'db.selectFrom("bigThing as thing")'),
    ],
    [
      ...[contextFile("one"), contextFile("two"), migrating("two", "big_thing")],
      file("server/src/modules/one/store.ts", "sql`select 1 from thing join big_thing using (id)`"),
    ],
  ],
  "modules see only what their context says": [
    [importing("server/src/modules/one/x.ts", "../../kernel/contracts/whole.ts")],
    [importing("server/src/workflows/x.ts", "../kernel/contracts/whole.ts")],
    [file("server/src/modules/one/x.ts", 'type Stores = StoresOf<"two">;')],
    [file("server/src/modules/one/context.ts", 'type Seen = "one";', "type Stores = StoresOf<string>;")],
    [file("server/src/modules/one/context.ts", 'type Seen = "one" | "two";', "type Stores = StoresOf<Seen>;")],
    [offering("server/src/modules/one/x.ts", "ModuleStores", "two.things")],
    [
      offering("server/src/modules/one/x.ts", "ModuleStores", "one.things"),
      offering("server/src/modules/two/x.ts", "ModuleStores", "two.things"),
    ],
  ],
  "the kernel knows no travel": [
    [importing("server/src/kernel/contracts/call-plan.ts", "../../domain/travel/purchase.ts")],
  ],
  "the outside and the hosts know no module": [
    [importing("server/src/hosts.ts", "./modules/trips/index.ts")],
    [importing("server/src/outside/parts.ts", "../modules/trips/index.ts")],
  ],
  "no file cycles": [[importing("sandbox/src/a.ts", "./b.ts"), importing("sandbox/src/b.ts", "./a.ts")]],
  "no folder cycles": [
    [
      importing("server/src/surfaces/mcp/a.ts", "../paid/b.ts"),
      importing("server/src/surfaces/paid/c.ts", "../mcp/d.ts"),
    ],
  ],
  "packages stand alone": [
    [importing("sandbox/src/a.ts", "../../server/src/domain/ids.ts")],
    [importing("server/src/main.ts", "../../chaos/src/run.ts")],
  ],
  "no long files": [[file("bench/x.ts", ...Array.from({ length: 401 }, () => ""))]],
  "no crowded folders": [Array.from({ length: 31 }, (_, index) => file(`server/src/modules/one/tools/${index}.ts`))],
  "SQL only in stores": [[importing("server/src/modules/trips/close-trip.ts", "kysely")]],
  "no hidden inputs": [
    [file("server/src/modules/trips/x.ts", "const now = Date.now();")],
    [file("server/src/surfaces/http/x.ts", "const port = process.env.PORT;")],
  ],
  "comments begin with their subject": [
    [file("server/src/modules/trips/x.ts", "// What a trip costs.")],
    [file("chaos/src/x.ts", "/**", " * Of a trip.", " */")],
    [file("server/src/modules/trips/x.ts", ["const cost = 1;", "/** Of a trip. */"].join(" "))],
  ],
  "functions are named by a verb or a noun": [
    [file("server/src/modules/trips/x.ts", "export async function costOf(trip: Trip): Promise<Micro> {")],
    [file("chaos/src/x.ts", "const costOf = (trip: Trip) => trip.cost;")],
    [file("server/src/ports/x.ts", "  costOf?(trip: Trip): Micro;")],
    [file("server/src/ports/x.ts", "  async #costOf(trip: Trip) {")],
    [file("server/test/x.ts", "  costOf: (trip: Trip) => trip.cost,")],
  ],
};

it.each(Object.keys(rules))("%s: the rule finds a spoilt tree", (name) => {
  const rule = rules[name];
  const trees = spoilt[name] ?? [];
  expect(trees.length).toBeGreaterThan(0);
  for (const tree of trees) expect(rule?.(tree)).not.toEqual([]);
});

it("the rules accept what the design allows", () => {
  const tree = [
    contextFile("one", "two", "three"),
    contextFile("two", "three"),
    contextFile("three"),
    importing("server/src/modules/one/x.ts", "../two/index.ts"),
    offering("server/src/modules/three/x.ts", "ModuleStores", "three.things"),
    file("server/src/modules/two/x.ts", "const { things } = stores;"),
    importing("server/src/modules/one/store.ts", "kysely"),
    importing("server/src/surfaces/http/x.ts", "../../kernel/contracts/tool.ts"),
    importing("chaos/src/run.ts", "../../server/src/compose.ts"),
  ];
  expect(Object.values(rules).flatMap((rule) => rule(tree))).toEqual([]);
});

it("reads the tree that it is asked about", () => {
  const files = readSource(resolve(import.meta.dirname, "../.."), ["server/src/domain", "no-such-folder"]);
  expect(files.map(({ path }) => path)).toContain("server/src/domain/money.ts");
});

it("draws each module below those that it needs", () => {
  const needs = buildGraph([
    ["two", "one"],
    ["three", "two"],
    ["three", "one"],
  ]);
  const drawing = drawModules(["one", "two", "three", "zero"], needs);
  expect(drawing).toContain("| 0 | one, zero |\n| 1 | two |\n| 2 | three |");
  expect(drawing).toContain("4 modules with 3 needs");
});
