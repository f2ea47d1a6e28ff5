import { resolve } from "node:path";
import { expect, it } from "vitest";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { readDataSets } from "./data-sets-page.ts";
import { readNoticesWithin, sourceOfLgpl, sourceOfMpl } from "./licences-page.ts";
import { isOpen, productionPackages, readLock } from "./production-packages.ts";

const lockText = readLock(resolve(import.meta.dirname, "../../../.."));

it("every started package has an open licence, and one without stops the generation", () => {
  const packages = productionPackages(lockText);
  const names = packages.map(({ name }) => name);
  // The dependencies of each program, including transitive ones, without those for development.
  expect(names).toEqual(expect.arrayContaining(["zod", "pg", "pg-types", "viem", "@resvg/resvg-js", "geo-tz"]));
  for (const name of ["vitest", "@redocly/cli", "fontoxpath", "saxonjs-he", "xslt3-he"])
    expect(names).not.toContain(name);
  const added = (licence: string) =>
    lockText
      .replace('"dependencies": {\n        "@ai-sdk', '"dependencies": {\n        "closed": "1.0.0",\n        "@ai-sdk')
      .replace(
        '"node_modules/zod": {',
        `"node_modules/closed": { "version": "1.0.0", "license": "${licence}" },\n    "node_modules/zod": {`,
      );
  expect(() => productionPackages(added("SEE LICENSE IN LICENSE.txt"))).toThrow(/closed 1\.0\.0 \(SEE LICENSE/);
  expect(productionPackages(added("(MIT OR BUSL-1.1)")).map(({ name }) => name)).toContain("closed");
  expect([undefined, "UNLICENSED", "MIT AND BUSL-1.1", "GPL-3.0", "MIT AND OFL-1.1"].map(isOpen)).toEqual([
    ...[false, false, false, false, true],
  ]);
});

it("an MPL package without a known source location stops the generation", () => {
  expect(sourceOfMpl("@resvg/resvg-js-linux-x64-gnu")).toBe("https://github.com/yisibl/resvg-js");
  for (const name of ["@resvg/resvg-jsx", "other"]) expect(() => sourceOfMpl(name)).toThrow(`${name} is under the MPL`);
  expect(sourceOfLgpl("@img/sharp-libvips-linux-x64")).toBe("https://github.com/lovell/sharp-libvips");
  for (const name of ["@img/colour", "libheif"]) expect(() => sourceOfLgpl(name)).toThrow(`${name} is under the LGPL`);
});

it("a notice of a library whose package is gone stops the generation", () => {
  const packages = productionPackages(lockText);
  expect(readNoticesWithin(packages).length).toBeGreaterThan(10);
  const without = packages.filter(({ name }) => name !== "tesseract.js-core");
  expect(() => readNoticesWithin(without)).toThrow("notices/giflib.txt is about giflib in tesseract.js-core");
});

/** The list below the notices' paragraph with these words. */
function partsAfter(notices: string, words: string): string[] {
  const paragraphs = notices.split("\n\n");
  const list = paragraphs[paragraphs.findIndex((paragraph) => paragraph.includes(words)) + 1] ?? "";
  return list.split("\n").map((line) => line.replace(/^- /, ""));
}

it("the service serves the notices, and the index and the start page lead to them", async () => {
  const service = await openSharedService();
  try {
    const read = async (path: string, accept: string) => (await service.send(path, { headers: { accept } })).text;
    const notices = await read("/licences.txt", "*/*");
    for (const { name, version } of productionPackages(lockText)) expect(notices).toContain(`/${name}/v/${version})`);
    for (const { name, licence } of readDataSets()) {
      expect(notices).toContain(name);
      expect(notices).toContain(licence);
    }
    // Each MPL part with the location of its source code.
    const ofMpl = partsAfter(notices, "Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/)");
    const packages = productionPackages(lockText).filter(({ licence }) => licence?.includes("MPL-2.0"));
    const sources = packages.map(({ name, version }) => `${name} ${version}: https://github.com/yisibl/resvg-js`);
    expect(sources).not.toEqual([]);
    expect(ofMpl).toEqual([...new Set(sources)]);
    // Each LGPL library likewise, for every system, with the text of the licence.
    const lesser = productionPackages(lockText).filter(({ licence }) => licence?.includes("LGPL"));
    expect(lesser.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["libheif-js", "@img/sharp-libvips-linux-x64", "@img/sharp-libvips-darwin-arm64"]),
    );
    expect(partsAfter(notices, "https://www.gnu.org/licenses/lgpl-3.0.html")).toEqual([
      ...new Set(lesser.map(({ name, version }) => `${name} ${version}: ${sourceOfLgpl(name)}`)),
    ]);
    expect(notices).toContain("GNU LESSER GENERAL PUBLIC LICENSE");
    // Embedded third-party code is named beside its package.
    for (const [name, licence] of [
      ["@hyzyla/pdfium", "MIT AND BSD-3-Clause AND Apache-2.0"],
      ["@hyzyla/pdfium", "AND FTL AND IJG"],
      ["tesseract.js-core", "AND libpng-2.0 AND libtiff"],
      ["@tesseract.js-data/jpn", "MIT AND Apache-2.0"],
    ] as const) {
      expect(notices.split("\n").find((line) => line.includes(`[${name}]`))).toContain(licence);
    }
    // With the notices that their packages lack, and the acknowledgements that some of them want.
    for (const library of [
      ...["FreeType", "ICU", "Little CMS", "OpenJPEG", "PDFium", "libjpeg-turbo"].map(
        (name) => `${name} in @hyzyla/pdfium`,
      ),
      ...["Leptonica", "giflib", "libjpeg", "libpng", "libtiff", "libwebp"].map(
        (name) => `${name} in tesseract.js-core`,
      ),
      "zlib in tesseract.js-core, zlib in @hyzyla/pdfium",
    ])
      expect(notices).toMatch(new RegExp(`\\n=+\\n${library}\\n=+\\n\\n`));
    expect(notices).toContain("based in part on the work of the Independent JPEG Group, which");
    expect(notices).toContain("based in part on the work of the FreeType Team");
    // Each ODbL or CC BY data set with its owner, its source and its licence.
    const attributed = readDataSets().map((set) => ({ ...set, line: `${set.name} (${set.source}): ${set.licence}` }));
    for (const [words, licence, holder] of [
      [
        "Open Database License 1.0 (https://opendatacommons.org/licenses/odbl/1-0/)",
        "ODbL",
        "© OpenStreetMap contributors",
      ],
      [
        "https://creativecommons.org/licenses/by/4.0/",
        "CC BY",
        "named Creative Commons licence, with the named changes",
      ],
    ] as const) {
      const lines = attributed.filter((set) => set.licence.includes(licence)).map(({ line }) => line);
      expect(lines).not.toEqual([]);
      expect(partsAfter(notices, words)).toEqual(lines);
      expect(notices.split("\n").find((line) => line.includes(words))).toContain(holder);
    }
    // A licence text with its copyright holder, as MIT requires.
    expect(notices).toMatch(/\nzod [\d.]+.*\n=+\n\nMIT License\n\nCopyright/);
    const page = await read("/docs/licences.md", "text/markdown");
    expect(notices.startsWith(page.slice(0, 100))).toBe(true);
    expect(page).toContain("/licences.txt)");
    expect(await read("/docs", "text/html")).toContain("/docs/licences");
    expect(await read("/", "text/html")).toContain('href="/docs/licences"');
  } finally {
    await service[Symbol.asyncDispose]();
  }
});
