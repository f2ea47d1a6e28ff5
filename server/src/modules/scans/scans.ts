import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "scans.scans": Scans;
  }
}

/** Why a field of the document is not taken over: a code, and never a word of the document. */
export interface NotTaken {
  field: "givenName" | "familyName" | "bornOn" | "gender" | "passports";
  reason: string;
}

/** What an identity document says of a person, as far as it can fill a traveler's profile. */
export interface ScannedPerson {
  givenName?: string;
  familyName?: string;
  /** YYYY-MM-DD, as all dates here. */
  bornOn?: string;
  gender?: "m" | "f";
  /** Only of a passport whose nationality, number and expiry were read without a doubt. */
  passport?: { nationality: string; number: string; issuedOn?: string; expiresOn: string };
  /** What the document would fill if it were read without a doubt. */
  notTaken?: readonly NotTaken[];
}

export interface ScanOwner {
  tenantId: string;
  environment: Environment;
}

interface KeptScan {
  /** Whoever has it, and is of the same tenant and environment, can use the scan once. It is stored nowhere. */
  scanId: string;
  expiresAt: Temporal.Instant;
}

/** Scans of identity documents for a few minutes. Without a scan's id nobody can read what is stored, the service included. */
export interface Scans {
  keep(owner: ScanOwner, person: ScannedPerson): Promise<KeptScan>;
  /** Undefined also for what has expired, was used, or is another tenant's or of the other environment. */
  look(owner: ScanOwner, scanId: string): Promise<ScannedPerson | undefined>;
  /** The same, and deletes it: of several callers at once only one gets it. */
  take(owner: ScanOwner, scanId: string): Promise<ScannedPerson | undefined>;
  /** Of all tenants; how many. */
  deleteExpired(): Promise<number>;
}
