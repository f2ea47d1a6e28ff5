declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "files.fileShelf": FileShelf;
  }
}

export interface SharedFile {
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
