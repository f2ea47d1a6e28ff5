import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "files.sharedFiles": SharedFiles;
  }
}

declare module "../../kernel/tool.ts" {
  interface ModulePorts {
    "files.fileShelf": FileShelf;
  }
}

interface SharedFile {
  fileName: string;
  contentType: string;
  content: Uint8Array;
}

/** Puts files where whoever is given the address can read them, for a time. */
export interface FileShelf {
  /** The addresses, in the order of the files. */
  share(tenantId: string, files: readonly SharedFile[], expiresAt: Temporal.Instant): Promise<readonly string[]>;
}

/** A tenant has so many at a time; with one more its oldest one goes. */
export const MOST_FILES_OF_TENANT = 600;

export interface SharedFiles {
  put(
    owner: { tenantId: string; environment: Environment },
    files: readonly (SharedFile & { tokenHash: Uint8Array })[],
    times: { createdAt: Temporal.Instant; expiresAt: Temporal.Instant },
  ): Promise<void>;
  /** Whose it is does not matter: who has the token was given it. */
  read(tokenHash: Uint8Array, at: Temporal.Instant): Promise<SharedFile | undefined>;
  /** Nobody can read the owner's files of these names any more. Answers how many there were. */
  withdraw(owner: { tenantId: string; environment: Environment }, fileNames: readonly string[]): Promise<number>;
  /** Removes those that have expired. */
  prune(at: Temporal.Instant): Promise<void>;
}
