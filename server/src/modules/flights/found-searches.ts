import type { z } from "zod";
import type { CabinClass, Provenance } from "../../domain/schemas.ts";
import type { FlightOffer } from "../../ports/flights.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "flights.foundSearches": FoundSearches;
  }
}

export interface FoundSearch {
  cabinClass: z.infer<typeof CabinClass>;
  /** How many the supplier had, of which perhaps not all are kept. */
  considered: number;
  offers: readonly FlightOffer[];
  notApplied: readonly { input: string; value: string; reason: string }[];
  provenance: Provenance;
  sandbox: boolean;
}

interface Owner {
  tenantId: string;
  environment: Environment;
}

/** What a tenant's searches have found, so that all of it can be looked through without asking the supplier again. */
export interface FoundSearches {
  /** Kept until `until`, and no longer than the tenant's later searches leave room for it. */
  keep(owner: Owner, searchId: string, found: FoundSearch, until: Temporal.Instant): Promise<void>;
  /** Undefined: it has expired, or the tenant has no such search. */
  find(owner: Owner, searchId: string): Promise<FoundSearch | undefined>;
  /** Forgets what has expired, and of each tenant what is more than is kept. */
  prune(): Promise<void>;
}
