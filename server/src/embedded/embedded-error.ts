import { errorCode } from "../platform/files/error-code.ts";

/**
 * A start that cannot succeed. The message is one line with the problem and the operator's remedy; it contains no password and
 * is printed as it is before a non-zero exit.
 */
export class EmbeddedError extends Error {
  override name = "EmbeddedError";
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Turns file system errors into lines that an operator can act on; other errors are unchanged. */
export const explainFileError = (error: unknown, dataDir: string): unknown => {
  const path =
    typeof error === "object" && error !== null && "path" in error && typeof error.path === "string"
      ? error.path
      : dataDir;
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
      return new EmbeddedError(
        `No permission for ${path}: start as the user who owns ${dataDir}, give that folder to this user (chown -R), or set DATA_DIR to another folder.`,
      );
    case "ENOSPC":
      return new EmbeddedError(`The disk that holds ${dataDir} is full: free some space and start again.`);
    case "EROFS":
      return new EmbeddedError(`${path} is on a read-only file system: set DATA_DIR to a writable folder.`);
    case "EEXIST":
    case "ENOTDIR":
      return new EmbeddedError(`${path} cannot be used as a folder: set DATA_DIR to a separate folder.`);
    case "ENOENT":
      return new EmbeddedError(`${path} cannot be created: set DATA_DIR to a separate folder.`);
    case "EMFILE":
    case "ENFILE":
      return new EmbeddedError(`Too many files are open to use ${path}: raise the limit (ulimit -n) and start again.`);
    default:
      return error;
  }
};
