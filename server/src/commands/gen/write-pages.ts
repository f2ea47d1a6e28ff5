import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Folders of `docs` that contain only generated files. */
const GENERATED_FOLDERS = ["tools", "errors", "examples"];

interface Differences {
  /** Missing or different. */
  stale: readonly string[];
  /** Unexpected files in a generated folder. */
  orphans: readonly string[];
}

export function comparePages(docs: string, wanted: ReadonlyMap<string, string>): Differences {
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(docs, path), "utf8");
    } catch {
      return undefined;
    }
  };
  const list = (folder: string): string[] => {
    try {
      return readdirSync(join(docs, folder)).map((name) => `${folder}/${name}`);
    } catch {
      return [];
    }
  };
  return {
    stale: [...wanted].filter(([path, text]) => read(path) !== text).map(([path]) => path),
    orphans: GENERATED_FOLDERS.flatMap(list).filter((path) => !wanted.has(path)),
  };
}

export function writePages(docs: string, wanted: ReadonlyMap<string, string>, { stale, orphans }: Differences): void {
  for (const path of stale) {
    mkdirSync(dirname(join(docs, path)), { recursive: true });
    writeFileSync(join(docs, path), wanted.get(path) ?? "");
  }
  for (const path of orphans) rmSync(join(docs, path));
}
