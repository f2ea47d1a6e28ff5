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

/** Makes files readable to anyone with the address, for a time. */
export interface FileShelf {
  /** Returns the addresses in the order of the files. */
  share(tenantId: string, files: readonly SharedFile[], expiresAt: Temporal.Instant): Promise<readonly string[]>;
}

/** The maximum per tenant at a time; one more removes the oldest. */
export const MOST_FILES_OF_TENANT = 600;
