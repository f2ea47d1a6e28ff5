import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

/** A hand-written code file: its path from the repository's root, with forward slashes, and what it imports. */
export interface SourceFile {
  path: string;
  text: string;
  /** Specifiers as they are written, types included. */
  imports: readonly string[];
}

const IMPORT = /^\s*(?:import|export)\b[^;]*?from "([^"]+)";|^\s*import "([^"]+)";|import\("([^"]+)"\)/gm;
const NOT_HAND_WRITTEN = /(^|\/)(?:node_modules|generated|data|\.data|dist|cache|out|lib)\/|\/generated-[^/]+\.ts$/;

export function listImports(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** All code files below these folders of the repository; a folder that is not there has none. */
export function readSource(repository: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    codeFiles(join(repository, folder)).map((file) => {
      const path = relative(repository, file).split(sep).join("/");
      const text = readFileSync(file, "utf8");
      return { path, text, imports: listImports(text) };
    }),
  );
}

function codeFiles(folder: string): string[] {
  let entries: ReturnType<typeof listFolder>;
  try {
    entries = listFolder(folder);
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|mjs|js|sol)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !NOT_HAND_WRITTEN.test(path.split(sep).join("/")));
}

function listFolder(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true });
}

/** Where a relative specifier leads, from the repository's root; undefined for a package. */
function resolveTarget(file: Pick<SourceFile, "path">, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return relative(resolve("/"), resolve("/", dirname(file.path), specifier))
    .split(sep)
    .join("/");
}

/** The relative imports of a file, as paths from the repository's root. */
export function listTargets(file: SourceFile): string[] {
  return file.imports.flatMap((specifier) => resolveTarget(file, specifier) ?? []);
}

export const isTest = ({ path }: Pick<SourceFile, "path">): boolean =>
  path.endsWith(".test.ts") || path.includes("/test/") || path.endsWith("/world.ts");
