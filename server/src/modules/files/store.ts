import { sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Environment } from "../../ports/identity.ts";
import { MOST_FILES_OF_TENANT, type SharedFile } from "./shared-files.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "files.sharedFiles": SharedFiles;
  }
}

export function createSharedFiles(db: Queryable) {
  return {
    async put(
      { tenantId, environment }: { tenantId: string; environment: Environment },
      files: readonly (SharedFile & { tokenHash: Uint8Array })[],
      { createdAt, expiresAt }: { createdAt: Temporal.Instant; expiresAt: Temporal.Instant },
    ): Promise<void> {
      await db
        .with("displaced", (cte) => deleteOldest(cte, { tenantId, environment }, MOST_FILES_OF_TENANT - files.length))
        .insertInto("sharedFile")
        .values(
          files.map(({ tokenHash, fileName, contentType, content }) => ({
            tenantId,
            environment,
            fileName,
            contentType,
            tokenHash: Buffer.from(tokenHash),
            content: Buffer.from(content),
            createdAt: createdAt.toString(),
            expiresAt: expiresAt.toString(),
            traceId: currentTraceId(),
          })),
        )
        .execute();
    },

    /** Independent of the owner: the token is the permission. */
    read: (tokenHash: Uint8Array, at: Temporal.Instant): Promise<SharedFile | undefined> =>
      db
        .selectFrom("sharedFile")
        .select(["fileName", "contentType", "content"])
        .where("tokenHash", "=", Buffer.from(tokenHash))
        .where("expiresAt", ">", sql<Temporal.Instant>`${at.toString()}::timestamptz`)
        .executeTakeFirst(),

    /** Makes the owner's files of these names unreadable, and returns their number. */
    async withdraw(
      { tenantId, environment }: { tenantId: string; environment: Environment },
      fileNames: readonly string[],
    ): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom("sharedFile")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("fileName", "in", fileNames)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    /** Deletes expired ones. */
    async prune(at: Temporal.Instant): Promise<void> {
      await pruneRows(db, "shared_file", sql`expires_at <= ${at.toString()}::timestamptz`);
    },
  };
}

/** All but the newest `most`. */
const deleteOldest = (
  db: Pick<Queryable, "deleteFrom" | "selectFrom">,
  { tenantId, environment }: { tenantId: string; environment: Environment },
  most: number,
) =>
  db
    .deleteFrom("sharedFile")
    .where("tokenHash", "in", (of) =>
      of
        .selectFrom("sharedFile")
        .select("tokenHash")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .orderBy("createdAt", "desc")
        .offset(most),
    );

export type SharedFiles = ReturnType<typeof createSharedFiles>;
