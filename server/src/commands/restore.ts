import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Config, readConfig } from "../config/config.ts";
import { EmbeddedError, explainFileError } from "../embedded/embedded-error.ts";
import { holdStopped, isEmptyFolder } from "../embedded/hold-stopped.ts";
import { errorCode } from "../platform/files/error-code.ts";
import { ensurePrivateFolder, makeFolder, syncFolder } from "../platform/files/private-files.ts";
import { facts, sizeText } from "./backup.ts";
import { type Command, type Program, UsageError } from "./command-line.ts";
import { copyFile, isFolder, makeFolders, syncFolders } from "./folder-copy/copy-files.ts";
import { type CopiedFile, type Manifest, readManifest } from "./folder-copy/manifest.ts";
import { runAsCommand } from "./run-as-command.ts";

type FolderConfig = Pick<Config, "dataDir" | "databaseUrl">;

const restore: Command<FolderConfig> = {
  name: "",
  summary: "Restore a backup to DATA_DIR. Every file is checked against the backup's manifest first.",
  usage: "--from <folder> [--move-old-to <folder>]",
  positionals: [],
  options: { from: { type: "string" }, "move-old-to": { type: "string" } },
  prepare(args) {
    const from = resolve(args.required("from"));
    const given = args.text("move-old-to");
    const oldTo = given === undefined ? undefined : resolve(given);
    return async (config) => {
      const dataDir = resolve(config.dataDir);
      if (oldTo === dataDir) throw new UsageError("--move-old-to must be outside DATA_DIR.");
      try {
        const manifest = readManifest(from);
        checkDatabase(manifest, config);
        await replace(dataDir, { from, manifest, oldTo });
        const old = oldTo !== undefined && existsSync(oldTo) ? `\nThe previous contents are in ${oldTo}.` : "";
        const text = `Restored ${sizeText(manifest)} of ${manifest.createdAt} to ${dataDir}.${old}`;
        return { text, json: { folder: dataDir, oldFolder: oldTo ?? null, ...facts(manifest) } };
      } catch (error) {
        throw explainFileError(error, dataDir);
      }
    };
  },
};

function checkDatabase({ database }: Manifest, { databaseUrl }: FolderConfig): void {
  if (database === "embedded" && databaseUrl !== undefined) {
    throw new EmbeddedError(
      "This backup contains its own database, but DATABASE_URL names another: unset it here and for the service.",
    );
  }
  if (database === "external" && databaseUrl === undefined) {
    throw new EmbeddedError(
      "The databases of this backup are on your own server: restore them there and set DATABASE_URL.",
    );
  }
}

interface Source {
  from: string;
  manifest: Manifest;
  /** Where existing data is moved; undefined: there must be none. */
  oldTo: string | undefined;
}

async function replace(dataDir: string, source: Source): Promise<void> {
  const { oldTo } = source;
  if (isEmptyFolder(dataDir)) return await withDraft(dataDir, source, (draft) => moveTo(draft, dataDir));
  if (oldTo === undefined) {
    throw new EmbeddedError(`${dataDir} is not empty: choose a folder for its contents with --move-old-to <folder>.`);
  }
  if (existsSync(oldTo)) throw new EmbeddedError(`${oldTo} already exists: choose another folder.`);
  await holdStopped(dataDir, (folder) =>
    withDraft(folder, source, (draft) => {
      moveTo(folder, oldTo);
      moveTo(draft, folder);
    }),
  );
}

/** The draft is beside the folder that it becomes. It is removed if its contents differ from the backup's manifest. */
async function withDraft(dataDir: string, { from, manifest }: Source, use: (draft: string) => void): Promise<void> {
  const draft = `${dataDir}.restoring`;
  rmSync(draft, { recursive: true, force: true });
  ensurePrivateFolder(draft);
  try {
    makeFolders(manifest.folders, draft);
    for (const file of manifest.files) await copyChecked(file, { from, to: draft });
    syncFolders(manifest.folders, draft);
    use(draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function copyChecked(file: CopiedFile, { from, to }: { from: string; to: string }): Promise<void> {
  const path = join(from, file.path);
  const found = existsSync(path) && !isFolder(path) ? await copyFile(file.path, { from, to }) : undefined;
  if (found?.sha256 === file.sha256 && found.bytes === file.bytes) return;
  const what = found === undefined ? "is missing" : "is not what was backed up";
  throw new EmbeddedError(`${path} ${what}: nothing was restored. Use another copy of this backup, or another backup.`);
}

function moveTo(folder: string, place: string): void {
  makeFolder(dirname(place));
  try {
    renameSync(folder, place);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EXDEV" && code !== "EBUSY") throw error;
    throw new EmbeddedError(
      `${folder} cannot become ${place}: both must be on the same disk, and neither may be a mount point.`,
    );
  }
  syncFolder(dirname(place));
}

export const restoreProgram: Program<FolderConfig> = {
  name: "restore",
  summary: "Restores a backup made with npm run backup. Stop the service first.",
  commands: [restore],
  notes: ["Accepts --json. Exit code: 0 success, 1 failure, 2 usage error."],
};

if (import.meta.main) await runAsCommand(restoreProgram, (_options, work) => work(readConfig(process.env)));
