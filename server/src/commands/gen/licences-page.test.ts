import { resolve } from "node:path";
import { expect, it } from "vitest";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { readDataSets } from "./data-sets-page.ts";
import { isOpen, productionPackages, readLock } from "./production-packages.ts";

const lockText = readLock(resolve(import.meta.dirname, "../../../.."));

it("every package that is started has an open licence, and one that has none stops the generation", () => {
  const packages = productionPackages(lockText);
  const names = packages.map(({ name }) => name);
  // What each of the programs runs on, what those need in turn, and nothing of development.
  expect(names).toEqual(expect.arrayContaining(["zod", "pg", "pg-types", "viem", "@resvg/resvg-js", "geo-tz"]));
  for (const name of ["vitest", "@redocly/cli", "fontoxpath", "saxonjs-he", "xslt3-he"])
    expect(names).not.toContain(name);
  const added = (licence: string) =>
    lockText
      .replace('"dependencies": {\n        "@expo', '"dependencies": {\n        "closed": "1.0.0",\n        "@expo')
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
    expect(notices).toMatch(/Mozilla Public License 2\.0.*\n\n- @resvg\/resvg-js /);
    expect(notices).toMatch(/Open Database License.*© OpenStreetMap contributors.*\n\n- .*ODbL 1\.0/);
    expect(notices).toMatch(/Creative Commons licence.*\n\n- .*GeoNames.*CC BY 4\.0/);
    // The text of a licence with whose it is, as MIT wants it.
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
