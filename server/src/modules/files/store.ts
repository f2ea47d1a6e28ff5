import { sql } from "kysely";
import { currentTraceId } from "../../domain/trace.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import { MOST_FILES_OF_TENANT, type SharedFiles } from "./shared-files.ts";

export function createSharedFiles(db: Queryable): SharedFiles {
  return {
    async put({ tenantId, environment }, files, { createdAt, expiresAt }) {
      await db
        .insertInto("sharedFile")
        .values(
          files.map(({ tokenHash, fileName, contentType, content }) => ({
            ...{ tenantId, environment, fileName, contentType },
            ...{ tokenHash: Buffer.from(tokenHash), content: Buffer.from(content) },
            ...{ createdAt: createdAt.toString(), expiresAt: expiresAt.toString(), traceId: currentTraceId() },
          })),
        )
        .execute();
      await sql`
        delete from shared_file where token_hash in (
          select token_hash from shared_file
          where tenant_id = ${tenantId} and network = ${environment}
          order by created_at desc offset ${MOST_FILES_OF_TENANT}
        )`.execute(db);
    },

    read: (tokenHash, at) =>
      db
        .selectFrom("sharedFile")
        .select(["fileName", "contentType", "content"])
        .where("tokenHash", "=", Buffer.from(tokenHash))
        .where("expiresAt", ">", sql<Temporal.Instant>`${at.toString()}::timestamptz`)
        .executeTakeFirst(),

    async withdraw({ tenantId, environment }, fileNames) {
      const { numDeletedRows } = await db
        .deleteFrom("sharedFile")
        .where("tenantId", "=", tenantId)
        .where("environment", "=", environment)
        .where("fileName", "in", fileNames)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    async prune(at) {
      await pruneRows(db, "shared_file", sql`expires_at <= ${at.toString()}::timestamptz`);
    },
  };
}
