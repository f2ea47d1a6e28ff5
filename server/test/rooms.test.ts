import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

/** Who may import whom (ARCHITECTURE.md). A room not listed here may not exist. */
const everywhere = ["domain", "ports"];
const allowed: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ["domain"],
  kernel: [...everywhere, "modules"],
  platform: [...everywhere, "modules"],
  modules: [...everywhere, "kernel", "platform", "modules", "surfaces", "embedded"],
  surfaces: [...everywhere, "kernel", "platform", "modules"],
  adapters: [...everywhere, "platform", "generated"],
  embedded: [...everywhere, "platform", "generated"],
  // Written by contracts/scripts/compile.ts: the interfaces and bytecode of our contracts.
  generated: [],
  config: ["domain"],
  "app.ts": ["*"],
  "main.ts": ["app.ts", "config"],
  commands: ["app.ts", "config", "open-identity.ts", "open-books.ts", ...everywhere],
};
const ROOT = /^(?:open|start|compose)-.*\.ts$/;

const ALWAYS_FREE_OF = /process\.env|\bfetch\(|Date\.now|new Date\(\)/;
const IMPORT = /^\s*(?:import|export)\b[^;]*?from "([^"]+)";|import\("([^"]+)"\)/gm;
const MAXIMUM_LINES = 400;

const repository = resolve(import.meta.dirname, "../..");
const source = join(repository, "server/src");

interface SourceFile {
  path: string;
  room: string;
  text: string;
  imports: string[];
}

function codeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|sol)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|\/)(node_modules|generated|data|\.data)\//.test(relative(repository, path)));
}

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "");
}

function read(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const [room = ""] = relative(source, path).split(sep);
  return { path, room, text, imports: importsOf(text) };
}

export function violations(files: readonly SourceFile[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    const may = ROOT.test(file.room) ? ["*"] : allowed[file.room];
    const name = relative(source, file.path);
    if (may === undefined) {
      found.push(`${name}: unknown room ${file.room}`);
      continue;
    }
    for (const target of file.imports.filter((specifier) => specifier.startsWith("."))) {
      const imported = relative(source, resolve(dirname(file.path), target));
      const [room = ""] = imported.split(sep);
      if (/^\.\.\/\.\.\/(?:devnet|conformance)\//.test(imported)) continue;
      if (imported.startsWith("..")) found.push(`${name}: imports from outside the service: ${target}`);
      else if (room !== file.room && !may.includes(room) && !may.includes("*"))
        found.push(`${name}: may not import ${imported}`);
      // An adapter is one vendor's; another vendor's folder is none of its business.
      else if (room === "adapters" && file.room === "adapters" && vendorOf(imported) !== vendorOf(name)) {
        found.push(`${name}: imports another vendor's folder: ${imported}`);
      }
    }
    if (["modules", "kernel"].includes(file.room) && ALWAYS_FREE_OF.test(file.text)) {
      found.push(`${name}: reads the environment, the clock or the network itself`);
    }
  }
  return found;
}

function vendorOf(path: string): string {
  return path.split(sep)[1] ?? "";
}

/** Every set of files that import each other in a ring, types left out. */
function cycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, "open" | "done">();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      found.push([...trail.slice(trail.indexOf(path)), path].map((step) => relative(source, step)).join(" → "));
      return;
    }
    state.set(path, "open");
    const file = byPath.get(path);
    const runtime =
      file === undefined ? [] : importsOf(file.text.replaceAll(/^\s*(?:import|export) type [^;]*;/gm, ""));
    for (const target of runtime.filter((specifier) => specifier.startsWith("."))) {
      visit(resolve(dirname(path), target), [...trail, path]);
    }
    state.set(path, "done");
  };
  for (const file of files) visit(file.path, []);
  return found;
}

const files = codeFiles(source)
  .filter((path) => !path.endsWith(".test.ts"))
  .map(read);

describe("the rooms of the service", () => {
  it("import only what they may", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(violations(files)).toEqual([]);
  });

  it("are told apart by the check", () => {
    const path = join(source, "domain/probe.ts");
    const text = 'import { x } from "../platform/calls.ts";';
    expect(violations([{ path, room: "domain", text, imports: importsOf(text) }])).toEqual([
      "domain/probe.ts: may not import platform/calls.ts",
    ]);
  });

  it("have no import cycles", () => {
    expect(cycles(files)).toEqual([]);
  });

  it("read the environment in one place", () => {
    const readers = files.filter(
      (file) => file.text.includes("process.env") && !["main.ts", "commands"].includes(file.room),
    );
    expect(readers.map((file) => relative(source, file.path))).toEqual([]);
  });

  it("keep the supplier sandbox apart", () => {
    const sandbox = codeFiles(join(repository, "sandbox")).flatMap((path) =>
      importsOf(readFileSync(path, "utf8")).filter(
        (target) => target.startsWith(".") && !resolve(dirname(path), target).startsWith(join(repository, "sandbox")),
      ),
    );
    expect(sandbox).toEqual([]);
  });
});

it("no hand-written code file is over the limit of lines", () => {
  const long = ["server", "sandbox", "scripts", "bench", "examples", "contracts"]
    .map((folder) => join(repository, folder))
    // A folder without a file is not in a clone.
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => codeFiles(folder))
    .map((path) => ({ path: relative(repository, path), lines: readFileSync(path, "utf8").split("\n").length }))
    .filter(({ lines }) => lines > MAXIMUM_LINES);
  expect(long).toEqual([]);
});
