import { readFileSync } from "node:fs";
import { isAbsolute, join, normalize, sep } from "node:path";
import { z } from "zod";
import { EmbeddedError } from "../../embedded/embedded-error.ts";

const FILE_NAME = "manifest.json";
const FORMAT = "wayfare-backup-1";

/** Restricted to paths inside the copied folder, whoever wrote the manifest. */
const Path = z.string().refine((path) => {
  return path !== "" && !isAbsolute(path) && normalize(path) === path && path.split(sep)[0] !== "..";
});
const CopiedFile = z.object({ path: Path, bytes: z.int(), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The version of the product that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  /** External: the databases are on the operator's own server and not in this backup. */
  database: z.enum(["embedded", "external"]),
  /** Each after its parent. */
  folders: z.array(Path),
  files: z.array(CopiedFile),
});

export type CopiedFile = z.infer<typeof CopiedFile>;
export type Manifest = Omit<z.infer<typeof Manifest>, "format">;

export const manifestPath = (backup: string): string => join(backup, FILE_NAME);

/** Written last: a folder without it is no backup, or an incomplete one. */
export const formatManifest = (manifest: Manifest): z.infer<typeof Manifest> => ({ format: FORMAT, ...manifest });

export function readManifest(backup: string): Manifest {
  let text: string;
  try {
    text = readFileSync(manifestPath(backup), "utf8");
  } catch {
    throw new EmbeddedError(
      `${backup} does not contain a complete backup: ${FILE_NAME}, which is written last, cannot be read.`,
    );
  }
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    throw new EmbeddedError(`${manifestPath(backup)} is damaged or from another version: use another backup.`);
  }
}
