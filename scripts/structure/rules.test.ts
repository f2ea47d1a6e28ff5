import { resolve } from "node:path";
import { expect, it } from "vitest";
import { rules } from "./rules.ts";
import { importsOf, readSource, type SourceFile } from "./source.ts";

/** Each rule finds what it is there to find: a rule that finds nothing in a spoilt tree holds nothing. */

function file(path: string, ...lines: string[]): SourceFile {
  const text = `${lines.join("\n")}\n`;
  return { path, text, imports: importsOf(text) };
}

const importing = (path: string, specifier: string): SourceFile => file(path, `import type { X } from "${specifier}";`);
const moduleFile = (name: string, ...needs: string[]): SourceFile =>
  file(`server/src/modules/${name}/module.ts`, `  needs: [${needs.map((need) => `"${need}"`).join(", ")}],`);

const spoilt: Readonly<Record<keyof typeof rules, readonly (readonly SourceFile[])[]>> = {
  "folders import only what they may": [
    [importing("server/src/domain/money.ts", "../platform/clock.ts")],
    [importing("server/src/kernel/tool.ts", "../modules/trips/index.ts")],
    [importing("server/src/surfaces/http/x.ts", "../../modules/trips/index.ts")],
    [importing("server/src/adapters/one/x.ts", "../other/y.ts")],
    [file("server/src/new-room/x.ts")],
  ],
  "modules import only the index of modules that they need": [
    [moduleFile("one"), importing("server/src/modules/one/x.ts", "../two/index.ts")],
    [moduleFile("one", "two"), moduleFile("two"), importing("server/src/modules/one/tools/x.ts", "../../two/store.ts")],
    [moduleFile("one", "two"), moduleFile("two")],
    [moduleFile("one", "two"), moduleFile("two", "one")],
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
  "SQL only in stores": [[importing("server/src/modules/trips/close-trip.ts", "kysely")]],
  "no hidden inputs": [
    [file("server/src/modules/trips/x.ts", "const now = Date.now();")],
    [file("server/src/surfaces/http/x.ts", "const port = process.env.PORT;")],
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
    moduleFile("one", "two"),
    moduleFile("two"),
    importing("server/src/modules/one/x.ts", "../two/index.ts"),
    importing("server/src/modules/one/store.ts", "kysely"),
    importing("server/src/surfaces/http/x.ts", "../../kernel/tool.ts"),
    importing("chaos/src/run.ts", "../../server/src/compose.ts"),
  ];
  expect(Object.values(rules).flatMap((rule) => rule(tree))).toEqual([]);
});

it("reads the tree that it is asked about", () => {
  const files = readSource(resolve(import.meta.dirname, "../.."), ["server/src/domain", "no-such-folder"]);
  expect(files.map(({ path }) => path)).toContain("server/src/domain/money.ts");
});
