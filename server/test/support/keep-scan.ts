import type { ScannedPerson } from "../../src/modules/scans/index.ts";
import { hashOfScanId, newScanId, sealPerson } from "../../src/modules/scans/seal-scan.ts";
import type { TestService } from "./service.ts";

/** A scan of an identity document as `scan_document` keeps it for the service's own tenant; its id. */
export async function keepScan(service: Pick<TestService, "sql" | "tenantId">, person: ScannedPerson): Promise<string> {
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  const scanId = newScanId();
  await service.sql(
    "insert into document_scan (tenant_id, network, id_hash, sealed, expires_at) values ($1, 'sandbox', $2, $3, now() + interval '10 minutes')",
    [owner.tenantId, hashOfScanId(scanId), sealPerson(scanId, owner, person)],
  );
  return scanId;
}
