import { chownSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../platform/files/error-code.ts";
import { EmbeddedError, errorText } from "../embedded-error.ts";
import { partEnvironment } from "../part.ts";
import { runFile } from "./binaries.ts";

/** PostgreSQL refuses to run as root: how to run it anyway, without creating users or copying binaries. */
export interface RunAs {
  /** Words before the program's own. */
  prefix: readonly string[];
  /** The required owner of the data folder. */
  uid: number;
  gid: number;
}

const NOBODY = 65_534;

// The single capability that is kept lets the unprivileged server reach its files through folders closed to it, such as root's
// home.
const asUser = (uid: number, gid: number): readonly string[] => [
  "setpriv",
  "--securebits=+no_setuid_fixup",
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all,+dac_override",
  "--ambient-caps=-all,+dac_override",
];

const inUserNamespace = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] as const;

/** Undefined if the program starts this way, else the reason. */
const tryToStart = async (prefix: readonly string[], program: string): Promise<string | undefined> => {
  const [command = program, ...rest] = [...prefix, program, "--version"];
  try {
    await runFile(command, rest, { cwd: "/", env: partEnvironment });
    return undefined;
  } catch (error) {
    const reason = errorText(error).split("\n")[1]?.trim() || errorCode(error) || "no reason given";
    return `${prefix[0]}: ${reason}`;
  }
};

/** @param dataFolder the data folder, which may not exist yet; its owner decides which user root becomes. */
export const chooseUser = async (dataFolder: string, postgres: string): Promise<RunAs> => {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const owner = lstatSync(dataFolder, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner && owner.uid !== uid) {
      throw new EmbeddedError(
        `${dataFolder} belongs to user ${owner.uid}, this is user ${uid}: start as that user or as root, or set DATA_DIR to another folder.`,
      );
    }
    return { prefix: [], uid, gid };
  }
  const target = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: NOBODY, gid: NOBODY };
  const setprivFailure = await tryToStart(asUser(target.uid, target.gid), postgres);
  if (setprivFailure === undefined) return { prefix: asUser(target.uid, target.gid), ...target };
  const unshareFailure = await tryToStart(inUserNamespace, postgres);
  if (unshareFailure === undefined) return { prefix: inUserNamespace, uid, gid };
  throw new EmbeddedError(
    `PostgreSQL does not run as root and could not be started as another user (${setprivFailure}; ${unshareFailure}): start as an ordinary user, or set DATABASE_URL.`,
  );
};

/** Changes the owner of a folder with its contents to the server's user (a copy made by root belongs to root). */
export const giveFolderTo = (folder: string, { uid, gid }: RunAs): void => {
  const stat = lstatSync(folder);
  if (stat.uid === uid && stat.gid === gid) return;
  // The folder itself comes last: its owner marks the rest as done.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveFolderTo(path, { prefix: [], uid, gid });
    else if (!entry.isSymbolicLink()) chownSync(path, uid, gid);
  }
  chownSync(folder, uid, gid);
};
