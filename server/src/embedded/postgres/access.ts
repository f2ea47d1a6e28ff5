import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ensurePrivateFolder, readPrivateJson, writePrivateJson } from "../../platform/files/private-files.ts";
import { EmbeddedError } from "../embedded-error.ts";
import { findFreePort, LOOPBACK } from "../free-port.ts";

const Access = z.object({ user: z.string(), password: z.string().min(1), port: z.int().min(1).max(65_535) });

/** Access to the embedded server: stored with mode 0600 beside its data folder. */
export type Access = z.infer<typeof Access>;

export const SERVICE_DATABASE = "wayfare";

export const postgresDataFolder = (folder: string): string => join(folder, "data");
const accessPath = (folder: string): string => join(folder, "access.json");

export const saveAccess = (folder: string, access: Access): void => writePrivateJson(accessPath(folder), access);

/** Undefined before the first start. */
export const readAccess = (folder: string): Access | undefined => readPrivateJson(accessPath(folder), Access);

/** Reads the access data of this folder's server, or creates and stores it before the first start. */
export const ensureAccess = async (folder: string): Promise<Access> => {
  ensurePrivateFolder(folder);
  const known = readAccess(folder);
  if (known) return known;
  if (existsSync(postgresDataFolder(folder))) {
    throw new EmbeddedError(
      `${accessPath(folder)} is missing or damaged, and without its password the database beside it cannot be opened: restore the file from a copy.`,
    );
  }
  const access = { user: "wayfare", password: randomBytes(24).toString("base64url"), port: await findFreePort() };
  saveAccess(folder, access);
  return access;
};

export const databaseUrl = ({ user, password, port }: Access, database: string): string =>
  `postgres://${user}:${password}@${LOOPBACK}:${port}/${database}`;
