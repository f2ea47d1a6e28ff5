import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { EmbeddedError } from "../../embedded/embedded-error.ts";
import { ensurePrivateFolder, syncFolder } from "../../platform/files/private-files.ts";
import type { CopiedFile } from "./manifest.ts";

/** The contents of a folder, as relative paths; each folder before its contents. */
interface Tree {
  folders: readonly string[];
  files: readonly string[];
}

/** @param isLeftOut receives the path relative to the folder. */
export function listTree(folder: string, isLeftOut: (path: string) => boolean): Tree {
  const folders: string[] = [];
  const files: string[] = [];
  const walk = (above: string) => {
    for (const entry of readdirSync(join(folder, above), { withFileTypes: true })) {
      const path = join(above, entry.name);
      if (isLeftOut(path)) continue;
      if (entry.isSymbolicLink()) {
        throw new EmbeddedError(`${join(folder, path)} is a symbolic link, and its target would be missing in a copy.`);
      }
      if (entry.isFile()) files.push(path);
      if (!entry.isDirectory()) continue;
      folders.push(path);
      walk(path);
    }
  };
  walk("");
  return { folders, files };
}

/** Creates only the folders, readable by their owner only, whatever they were. */
export function makeFolders(folders: readonly string[], to: string): void {
  for (const path of folders) ensurePrivateFolder(join(to, path));
}

/** After syncing, a rename or a power cut loses nothing. */
export function syncFolders(folders: readonly string[], to: string): void {
  for (const path of [...folders.map((folder) => join(to, folder)).toReversed(), to]) syncFolder(path);
}

/** Copies a file, readable by its owner only, and returns its record. */
export async function copyFile(path: string, { from, to }: { from: string; to: string }): Promise<CopiedFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  await pipeline(
    createReadStream(join(from, path)),
    async function* hashed(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(join(to, path), { flags: "wx", mode: 0o600, flush: true }),
  );
  return { path, bytes, sha256: hash.digest("hex") };
}

export const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
