import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { type Config, readConfig } from "../config/config.ts";
import { EmbeddedError, explainFileError } from "../embedded/embedded-error.ts";
import { holdStopped, isEmptyFolder } from "../embedded/hold-stopped.ts";
import { ensurePrivateFolder, writePrivateJson } from "../platform/files/private-files.ts";
import { systemClock } from "../ports/clock.ts";
import { type Command, type Program, UsageError } from "./command-line.ts";
import { copyFile, listTree, makeFolders, syncFolders } from "./folder-copy/copy-files.ts";
import { formatManifest, type Manifest, manifestPath } from "./folder-copy/manifest.ts";
import { productVersion } from "./product-version.ts";
import { runAsCommand } from "./run-as-command.ts";

/** The configuration that a backup needs. */
export type FolderConfig = Pick<Config, "dataDir" | "databaseUrl" | "masterKeyFile">;

/** Records of running processes and their output, which are valid on this machine at that moment only. */
const leftOut: ReadonlySet<string> = new Set([
  "embedded",
  "logs",
  "parts.json",
  join("postgres", "data", "postmaster.pid"),
]);

/**
 * The database first and the chain last. Nothing runs meanwhile, so both are of the same moment; if something changed after
 * all, the chain in the backup is the newer one. Its surplus can be recorded later, whereas a ledger that names blocks missing
 * from its chain cannot be repaired.
 */
function inOrder(files: readonly string[]): string[] {
  const place = (path: string) => ["postgres", undefined, "devnet"].indexOf(findGroup(path));
  return files.toSorted((one, other) => place(one) - place(other));
}

function findGroup(path: string): string | undefined {
  const [top] = path.split(sep);
  return top === "postgres" || top === "devnet" ? top : undefined;
}

const backup: Command<FolderConfig> = {
  name: "",
  summary: "Copy DATA_DIR of a stopped service into a new folder: databases, keys, settings and the development chain.",
  usage: "--to <folder>",
  positionals: [],
  options: { to: { type: "string" } },
  prepare(args) {
    const to = resolve(args.required("to"));
    return async ({ dataDir, databaseUrl, masterKeyFile }) => {
      if (isEmptyFolder(dataDir)) throw new EmbeddedError(`${dataDir} is empty: there is nothing to back up.`);
      const between = relative(resolve(dataDir), to);
      if (between === "" || between.split(sep)[0] !== "..") throw new UsageError("--to must be outside DATA_DIR.");
      try {
        if (!isEmptyFolder(to)) throw new EmbeddedError(`${to} is not empty: use a new folder for each backup.`);
        const database = databaseUrl === undefined ? "embedded" : "external";
        const manifest = await holdStopped(dataDir, (folder) => copyOut(folder, to, database));
        const missing = missingText(database, masterKeyFile);
        return {
          text: `Copied ${sizeText(manifest)} to ${to}. It contains keys: keep it as safe as ${dataDir}.${missing}`,
          json: { folder: to, ...facts(manifest), masterKeyFile: masterKeyFile ?? null },
        };
      } catch (error) {
        throw explainFileError(error, to);
      }
    };
  },
};

async function copyOut(folder: string, to: string, database: Manifest["database"]): Promise<Manifest> {
  if (database === "embedded" && !existsSync(join(folder, "postgres", "data"))) {
    throw new EmbeddedError(
      `${folder} contains no database: set DATABASE_URL to the service's value, or correct DATA_DIR.`,
    );
  }
  const { folders, files } = listTree(folder, (path) => leftOut.has(path));
  ensurePrivateFolder(to);
  makeFolders(folders, to);
  const copied: Manifest["files"] = [];
  for (const path of inOrder(files)) copied.push(await copyFile(path, { from: folder, to }));
  syncFolders(folders, to);
  const createdAt = systemClock.now().toString();
  const manifest = { version: productVersion(), createdAt, database, folders: [...folders], files: copied };
  writePrivateJson(manifestPath(to), formatManifest(manifest));
  return manifest;
}

function missingText(database: Manifest["database"], masterKeyFile: string | undefined): string {
  return [
    ...(database === "external"
      ? ["\nNot included: the databases of DATABASE_URL. Dump both with pg_dump while the service is stopped."]
      : []),
    ...(masterKeyFile === undefined ? [] : [`\nNot included: ${masterKeyFile}. Keep a copy elsewhere.`]),
  ].join("");
}

const totalBytes = ({ files }: Manifest): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

export const sizeText = (manifest: Manifest): string =>
  `${manifest.files.length} files, ${Math.ceil(totalBytes(manifest) / 1_000_000)} MB`;

export const facts = (manifest: Manifest) => ({
  version: manifest.version,
  createdAt: manifest.createdAt,
  database: manifest.database,
  files: manifest.files.length,
  bytes: totalBytes(manifest),
});

export const backupProgram: Program<FolderConfig> = {
  name: "backup",
  summary: "Copies everything that a deployment keeps in its DATA_DIR. Stop the service first.",
  commands: [backup],
  notes: ["Accepts --json. Exit code: 0 success, 1 failure, 2 usage error. To restore: npm run restore -- --help"],
};

if (import.meta.main) await runAsCommand(backupProgram, (_options, work) => work(readConfig(process.env)));
