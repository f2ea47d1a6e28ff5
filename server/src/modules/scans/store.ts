import { sql } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import { pruneRows } from "../../platform/database/prune.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ScanOwner, Scans } from "./scans.ts";
import { hashOfScanId, newScanId, openPerson, SCAN_ID, sealPerson } from "./seal-scan.ts";

const LIFETIME = { minutes: 10 };

export function createScans(db: Queryable, clock: Clock): Scans {
  const isNow = (expiresAt: Temporal.Instant) => Temporal.Instant.compare(clock.now(), expiresAt) < 0;
  return {
    async keep(owner, person) {
      const scanId = newScanId();
      // In the precision of the database.
      const expiresAt = clock.now().add(LIFETIME).round({ smallestUnit: "millisecond", roundingMode: "trunc" });
      await db
        .insertInto("documentScan")
        .values({
          tenantId: owner.tenantId,
          environment: owner.environment,
          idHash: hashOfScanId(scanId),
          sealed: sealPerson(scanId, owner, person),
          expiresAt: expiresAt.toString(),
        })
        .execute();
      return { scanId, expiresAt };
    },

    async look(owner, scanId) {
      if (!SCAN_ID.test(scanId)) return undefined;
      const row = await db
        .selectFrom("documentScan")
        .select(["sealed", "expiresAt"])
        .where("tenantId", "=", owner.tenantId)
        .where("environment", "=", owner.environment)
        .where("idHash", "=", hashOfScanId(scanId))
        .executeTakeFirst();
      return row !== undefined && isNow(row.expiresAt) ? openPerson(scanId, owner, row.sealed) : undefined;
    },

    async take(owner, scanId) {
      if (!SCAN_ID.test(scanId)) return undefined;
      const row = await removeScan(db, owner, scanId);
      return row !== undefined && isNow(row.expiresAt) ? openPerson(scanId, owner, row.sealed) : undefined;
    },

    deleteExpired: () => pruneRows(db, "document_scan", sql`expires_at <= ${clock.now().toString()}::timestamptz`),
  };
}

function removeScan(db: Queryable, { tenantId, environment }: ScanOwner, scanId: string) {
  return db
    .deleteFrom("documentScan")
    .where("tenantId", "=", tenantId)
    .where("environment", "=", environment)
    .where("idHash", "=", hashOfScanId(scanId))
    .returning(["sealed", "expiresAt"])
    .executeTakeFirst();
}
