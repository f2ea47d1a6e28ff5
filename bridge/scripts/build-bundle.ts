import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packZip, type ZipEntry } from "./zip.ts";

const BRIDGE = resolve(import.meta.dirname, "..");
const NAME = "wayfare.mcpb";

interface Bundle {
  file: string;
  sha256: string;
  bytes: number;
}

/** Builds the bundle for desktop clients (`.mcpb`) and its checksum file. */
export function buildBundle(folder: string): Bundle {
  const bytes = packZip(listEntries());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = join(folder, NAME);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, bytes);
  writeFileSync(`${file}.sha256`, `${sha256}  ${NAME}\n`);
  return { file, sha256, bytes: bytes.length };
}

function listEntries(): readonly ZipEntry[] {
  const read = (...path: string[]) => readFileSync(join(BRIDGE, ...path));
  const { version }: { version: string } = JSON.parse(read("package.json").toString("utf8"));
  const manifest: object = JSON.parse(read("bundle", "manifest.json").toString("utf8"));
  const sources = readdirSync(join(BRIDGE, "src")).toSorted();
  return [
    { name: "manifest.json", bytes: Buffer.from(`${JSON.stringify({ ...manifest, version }, null, 2)}\n`) },
    { name: "icon.png", bytes: read("bundle", "icon.png") },
    { name: "LICENSE", bytes: read("LICENSE") },
    ...sources.map((name) => ({ name: `server/${name}`, bytes: read("src", name) })),
  ];
}

if (import.meta.main) {
  const { file, sha256, bytes } = buildBundle(join(BRIDGE, "dist"));
  process.stdout.write(`${file}: ${bytes} bytes, SHA-256 ${sha256}\n`);
}
