import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "scans.scans": Scans;
  }
}

/** Why a field of the document is not used: a code, never text from the document. */
export interface NotTaken {
  field: "givenName" | "familyName" | "bornOn" | "gender" | "passports";
  reason: string;
}

/** A person's data from an identity document, as far as a traveler's profile can use it. */
export interface ScannedPerson {
  givenName?: string;
  familyName?: string;
  /** YYYY-MM-DD, like all dates here. */
  bornOn?: string;
  gender?: "m" | "f";
  /** Set only if the passport's nationality, number and expiry were read with certainty. */
  passport?: { nationality: string; number: string; issuedOn?: string; expiresOn: string };
  /** The fields that a certain reading would have filled. */
  notTaken?: readonly NotTaken[];
}

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
