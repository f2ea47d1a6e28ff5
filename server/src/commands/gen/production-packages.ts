import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";

const Entry = z.looseObject({
  version: z.string().default(""),
  license: z.string().optional(),
  link: z.boolean().default(false),
  os: z.unknown().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  peerDependenciesMeta: z.record(z.string(), z.looseObject({ optional: z.boolean().default(false) })).default({}),
});
const Lock = z.looseObject({ packages: z.record(z.string(), Entry) });
type Packages = z.output<typeof Lock>["packages"];

export interface ProductionPackage {
  name: string;
  version: string;
  /** An SPDX expression; undefined: the package declares none. */
  licence: string | undefined;
  /** Relative to the repository's root. */
  path: string;
  /** For particular systems: whether it is installed depends on the machine. */
  isForSomeSystems: boolean;
}

/**
 * The programs of `npm start`, and the dashboard, which a browser runs. The root's own dependencies are development tools, except the optional ones: they are Node
 * itself.
 */
const STARTED = ["server", "sandbox", "devnet", "attester", "carriers", "dashboard"];

/**
 * Licences read from the licence files of packages that declare no SPDX expression or embed third-party code, such as PDFium,
 * Tesseract and ZXing; these have the licences of all that they embed (`notices/`).
 */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  "png-js": "MIT",
  "dejavu-fonts-ttf": "Bitstream-Vera",
  "@hyzyla/pdfium":
    "MIT AND BSD-3-Clause AND Apache-2.0 AND BSD-2-Clause AND FTL AND IJG AND Unicode-3.0 AND Zlib AND LicenseRef-AGG-2.3",
  "tesseract.js-core":
    "Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND IJG AND ISC AND MIT AND Zlib AND libpng-2.0 AND libtiff",
  "zxing-wasm": "MIT AND Apache-2.0",
  ...Object.fromEntries(
    ["eng", "deu", "fra", "spa", "por", "pol", "jpn"].map((code) => [
      `@tesseract.js-data/${code}`,
      "MIT AND Apache-2.0",
    ]),
  ),
};

/**
 * Licences approved as open by the Open Source Initiative or the FSF, for fonts and texts also Creative Commons licences, and
 * permissive ones of single libraries.
 */
const OPEN: ReadonlySet<string> = new Set([
  ...["MIT", "MIT-0", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "Unlicense", "Zlib"],
  ...["BlueOak-1.0.0", "PostgreSQL", "Python-2.0", "CC0-1.0", "CC-BY-4.0", "OFL-1.1", "Bitstream-Vera"],
  ...["FTL", "IJG", "Unicode-3.0", "libpng-2.0", "libtiff", "LicenseRef-AGG-2.3"],
  // For libraries that are separate files and replaceable: their users keep their own licence.
  ...["LGPL-3.0", "LGPL-3.0-or-later"],
]);

/** Every package in the dependency tree of the programs, with its licence. Throws if one is not known to be open. */
export function productionPackages(lockText: string): ProductionPackage[] {
  const { packages } = Lock.parse(JSON.parse(lockText));
  const found = new Map<string, ProductionPackage>();
  const waiting = ["", ...STARTED].map((path) => ({ path, names: listDependencies(packages[path], path === "") }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of next.names) {
      const path = locate(packages, next.path, name);
      const entry = path === undefined ? undefined : packages[path];
      if (path === undefined || entry === undefined || entry.link || found.has(path)) continue;
      const own = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      found.set(path, {
        name: own,
        version: entry.version,
        licence: READ_BY_HAND[own] ?? entry.license,
        path,
        isForSomeSystems: entry.os !== undefined,
      });
      waiting.push({ path, names: listDependencies(entry, false) });
    }
  }
  const all = [...found.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const closed = all.filter(({ licence }) => !isOpen(licence));
  if (closed.length > 0) {
    const named = closed.map(({ name, version, licence }) => `${name} ${version} (${licence ?? "no licence"})`);
    throw new Error(`These packages of production are not known to have an open licence: ${named.join(", ")}`);
  }
  return all;
}

function listDependencies(entry: Packages[string] | undefined, isRoot: boolean): string[] {
  if (entry === undefined) return [];
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...(isRoot ? [] : [...Object.keys(dependencies), ...peers]), ...Object.keys(optionalDependencies)];
}

/** Resolves like Node: in the folder of the dependent package, else further up. */
function locate(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === "") return undefined;
  }
}

/** "A OR B" needs one, "A AND B" needs both. */
export function isOpen(expression: string | undefined): boolean {
  if (expression === undefined) return false;
  return expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((licence) => OPEN.has(licence.trim())));
}

export const readLock = (repository: string): string => readFileSync(resolve(repository, "package-lock.json"), "utf8");
