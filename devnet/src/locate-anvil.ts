import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The version that writes the chain's folder; another one may not replay it to the same blocks. */
const ANVIL_VERSION = "1.7.1";

/** Where programs are, whatever the environment says. */
const PROGRAM_FOLDERS = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/run/current-system/sw/bin",
];
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Finds the program in the platform's binary package, which needs no install script, else where programs are. */
export const locateAnvil = (): string => {
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch {
    const found = PROGRAM_FOLDERS.map((folder) => join(folder, "anvil")).find(isProgram);
    if (found !== undefined) return found;
    throw new Error(
      `The development chain needs anvil ${ANVIL_VERSION}, and the package ${name} is not installed: run "npm ci --include=optional", or put anvil ${ANVIL_VERSION} of Foundry into /usr/local/bin if this platform has no such package.`,
    );
  }
};
