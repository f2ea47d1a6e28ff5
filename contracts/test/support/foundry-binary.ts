import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { repository } from "../../scripts/solc.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const Manifest = z.object({ optionalDependencies: z.record(z.string(), z.string()).default({}) });

/**
 * The path of one of Foundry's programs, which npm installs as one package per platform. Undefined where this platform
 * has no package; a package that should be there and is not is an error.
 */
export function findFoundryBinary(program: "anvil" | "forge", manifest: string): string | undefined {
  const name = `@foundry-rs/${program}-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  const path = join(repository, "node_modules", name, "bin", program);
  if (existsSync(path)) return path;
  const { optionalDependencies } = Manifest.parse(JSON.parse(readFileSync(join(repository, manifest), "utf8")));
  if (name in optionalDependencies) throw new Error(`${name} is not installed; run npm ci`);
  return undefined;
}
