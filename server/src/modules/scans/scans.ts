import { z } from "zod";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "scans.scans": Scans;
  }
}

const NotTaken = z.strictObject({
  field: z.enum(["givenName", "familyName", "bornOn", "gender", "passports"]),
  /** Why the field is not used: a code, never text from the document. */
  reason: z.string(),
});
export type NotTaken = z.infer<typeof NotTaken>;

/** A person's data from an identity document, as far as a traveler's profile can use it. Dates are YYYY-MM-DD. */
export const ScannedPerson = z.strictObject({
  givenName: z.string().exactOptional(),
  familyName: z.string().exactOptional(),
  bornOn: z.string().exactOptional(),
  gender: z.enum(["m", "f"]).exactOptional(),
  /** Set only if the passport's nationality, number and expiry were read with certainty. */
  passport: z
    .strictObject({
      nationality: z.string(),
      number: z.string(),
      issuedOn: z.string().exactOptional(),
      expiresOn: z.string(),
    })
    .exactOptional(),
  /** The fields that a certain reading would have filled. */
  notTaken: z.array(NotTaken).readonly().exactOptional(),
});
export type ScannedPerson = z.infer<typeof ScannedPerson>;

export interface ScanOwner {
  tenantId: string;
  environment: Environment;
}

interface KeptScan {
  /** A bearer secret: anyone of the same tenant and environment can use the scan once with it. It is never stored. */
  scanId: string;
  expiresAt: Temporal.Instant;
}

/** Scans of identity documents, kept for a few minutes. Without a scan's id nobody can read it, not even the service. */
export interface Scans {
  keep(owner: ScanOwner, person: ScannedPerson): Promise<KeptScan>;
  /** Undefined also for a scan that has expired, was used, or belongs to another tenant or environment. */
  look(owner: ScanOwner, scanId: string): Promise<ScannedPerson | undefined>;
  /** Reads and deletes the scan: only one of several concurrent callers gets it. */
  take(owner: ScanOwner, scanId: string): Promise<ScannedPerson | undefined>;
  /** Deletes expired scans of all tenants; returns how many. */
  deleteExpired(): Promise<number>;
}
