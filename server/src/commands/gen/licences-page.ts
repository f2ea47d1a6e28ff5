import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DataSet, readDataSets } from "./data-sets-page.ts";
import { NOTICE, table } from "./markdown.ts";
import { type ProductionPackage, productionPackages, readLock } from "./production-packages.ts";

/**
 * Notices of libraries that packages embed as machine code without their notices, verbatim from the libraries' own licence files
 * (that of the Apache License, which the page has anyway, is left out). The first line of a file names library and package.
 */
const NOTICES_WITHIN = join(import.meta.dirname, "notices");

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const NOTICE_FILE = /^(licen[cs]e|notice|copying|unlicense)/i;

/** Licences that require more than their text, with the statements that they require. */
const OBLIGATIONS: readonly { licence: RegExp; says: string; saySource?(packageName: string): string }[] = [
  {
    licence: /MPL-2\.0/,
    says: "These packages are used unchanged. The source code of each is available under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/) at the listed address, under the tag of its version.",
    saySource: sourceOfMpl,
  },
  {
    licence: /LGPL-3\.0/,
    says: "These libraries are used unchanged under the GNU Lesser General Public License 3.0 (https://www.gnu.org/licenses/lgpl-3.0.html, with https://www.gnu.org/licenses/gpl-3.0.html). Each is a separate file in its package, which Wayfare loads at run time: you can replace it with a modified build of the same version. The source code and build instructions of each are at the listed address, under the tag of its version.",
    saySource: sourceOfLgpl,
  },
  {
    licence: /ODbL/,
    says: "These contain information from a database that is made available under the Open Database License 1.0 (https://opendatacommons.org/licenses/odbl/1-0/). Its contents are © OpenStreetMap contributors (https://www.openstreetmap.org/copyright). The database is used unchanged. A database derived from it may be distributed only under the same licence.",
  },
  {
    licence: /CC BY/,
    says: "These are used under the named Creative Commons licence, with the named changes (https://creativecommons.org/licenses/by/4.0/, https://creativecommons.org/licenses/by-sa/4.0/). Their authors do not endorse this product.",
  },
  {
    licence: /\bIJG\b/,
    says: "This software is based in part on the work of the Independent JPEG Group, which these packages contain.",
  },
  {
    licence: /\bFTL\b/,
    says: "This software is based in part on the work of the FreeType Team (https://freetype.org), which this package contains.",
  },
  {
    licence: /Apache-2\.0/,
    says: "These are used under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0). licences.txt contains their notices.",
  },
];

/** A registry package may contain only compiled code, and those for other systems are not installed here. */
const MPL_SOURCES: ReadonlyMap<string, string> = new Map([["@resvg/resvg-js", "https://github.com/yisibl/resvg-js"]]);

/** libvips with its dependencies, and libheif with libde265. */
const LGPL_SOURCES: ReadonlyMap<string, string> = new Map([
  ["@img/sharp-libvips", "https://github.com/lovell/sharp-libvips"],
  ["@img/sharp", "https://github.com/lovell/sharp"],
  ["libheif-js", "https://github.com/catdad-experiments/libheif-js, https://github.com/strukturag/libheif"],
]);

/** Throws for a package without a known source code location: it must not be redistributed. */
export function sourceOfMpl(packageName: string): string {
  return sourceIn(MPL_SOURCES, packageName, "MPL");
}

/** Throws like `sourceOfMpl`. */
export function sourceOfLgpl(packageName: string): string {
  return sourceIn(LGPL_SOURCES, packageName, "LGPL");
}

function sourceIn(sources: ReadonlyMap<string, string>, packageName: string, licence: string): string {
  const [, source] = [...sources].find(([name]) => packageName === name || packageName.startsWith(`${name}-`)) ?? [];
  if (source !== undefined) return source;
  throw new Error(`${packageName} is under the ${licence}: name the address of its source code in licences-page.ts.`);
}

/** The page, and a single file with all texts. */
export function licencesFiles(): [path: string, content: string][] {
  const packages = productionPackages(readLock(REPOSITORY));
  const page = renderPage(packages);
  const whole =
    "[licences.txt](http://127.0.0.1:3000/licences.txt) contains all of this in one file, with the text of every licence.";
  const texts = [...collectTexts(packages), ...readNoticesWithin(packages)].map(
    ([text, names]) => `${RULE}\n${names.join(", ")}\n${RULE}\n\n${text}\n`,
  );
  return [
    ["licences.md", `${NOTICE}\n${page.replace(INTRODUCTION, `${INTRODUCTION} ${whole}`)}`],
    ["licences.txt", [page, ...texts].join("\n")],
  ];
}

/** Throws for a notice of a package that is not used any more. */
export function readNoticesWithin(packages: readonly { name: string }[]): [text: string, names: string[]][] {
  return readdirSync(NOTICES_WITHIN)
    .sort()
    .map((file) => {
      const [heading = "", ...lines] = readFileSync(join(NOTICES_WITHIN, file), "utf8").trim().split("\n");
      const names = heading.split(", ");
      for (const name of names)
        if (!packages.some((used) => name.endsWith(` in ${used.name}`)))
          throw new Error(`notices/${file} is about ${name}, which Wayfare does not use.`);
      return [lines.join("\n").trim(), names];
    });
}

const INTRODUCTION =
  "Wayfare is under the MIT licence. It uses the packages and data below, whose licences require their texts and notices to be passed on.";
const RULE = "=".repeat(80);

function renderPage(packages: readonly ProductionPackage[]): string {
  const dataSets = readDataSets();
  const rows = packages.map(({ name, version, licence = "" }) => [
    `[${name}](https://www.npmjs.com/package/${name}/v/${version})`,
    version,
    licence,
  ]);
  return `${[
    "# Licences",
    INTRODUCTION,
    "## Licence requirements",
    ...OBLIGATIONS.flatMap((obligation) => describe(obligation, packages, dataSets)),
    "## Data",
    "[Data sets](data-sets.md) says what each is used for and how it was changed.",
    table(
      ["Data", "Source", "Licence"],
      dataSets.map(({ name, source, licence }) => [name, source, licence]),
    ),
    "## Packages",
    // A version may be installed in several places.
    [...new Set(table(["Package", "Version", "Licence"], rows).split("\n"))].join("\n"),
  ].join("\n\n")}\n`;
}

function describe(
  { licence: pattern, says, saySource }: (typeof OBLIGATIONS)[number],
  packages: readonly ProductionPackage[],
  dataSets: readonly DataSet[],
): string[] {
  const parts = [
    ...packages.flatMap(({ name, version, licence = "" }) => {
      if (!pattern.test(licence)) return [];
      return [saySource === undefined ? `${name} ${version}` : `${name} ${version}: ${saySource(name)}`];
    }),
    ...dataSets.flatMap(({ name, source, licence }) =>
      pattern.test(licence) ? [`${name} (${source}): ${licence}`] : [],
    ),
  ];
  return parts.length === 0 ? [] : [says, parts.map((part) => `- ${part}`).join("\n")];
}

/**
 * Each text once, with its packages. Packages for particular systems are not installed everywhere and appear only in the table.
 */
function collectTexts(packages: readonly ProductionPackage[]): [text: string, names: string[]][] {
  const byText = new Map<string, string[]>();
  for (const { name, version, path, isForSomeSystems } of packages) {
    const folder = join(REPOSITORY, path);
    if (isForSomeSystems || !existsSync(folder)) continue;
    const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
    for (const file of files
      .map(({ name: own }) => own)
      .filter((own) => NOTICE_FILE.test(own))
      .sort()) {
      const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
      byText.set(text, [...new Set([...(byText.get(text) ?? []), `${name} ${version}`])]);
    }
  }
  return [...byText];
}
