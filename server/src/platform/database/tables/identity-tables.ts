import type { ColumnType, Generated } from "kysely";
import type { TravelerProfile } from "../../../modules/travelers/traveler-profile.ts";
import type { Environment, Plan } from "../../../ports/identity.ts";

/** Read as an instant; written as its ISO 8601 text, which is what the driver can send. */
type Timestamp = ColumnType<Temporal.Instant, string, string>;
type OptionalTimestamp = ColumnType<Temporal.Instant | null, string | null | undefined, string | null>;
/** Written as JSON text: the driver would take an array for one of PostgreSQL's. */
type Json<Value> = ColumnType<Value, string, string>;

export interface TenantTable {
  id: string;
  name: string;
  plan: Plan;
  monthly_cap_micro: bigint;
  is_demo: boolean;
  /** Ciphertext. */
  signing_secret: string;
  signing_secret_revealed_at: OptionalTimestamp;
  created_at: Timestamp;
}

export interface ApiKeyTable {
  id: string;
  tenant_id: string;
  name: string;
  /** base64url SHA-256 of the whole key. */
  key_hash: string;
  start: string;
  scopes: string[];
  environment: Environment;
  created_at: Timestamp;
  expires_at: OptionalTimestamp;
  revoked_at: OptionalTimestamp;
  last_used_at: OptionalTimestamp;
}

export interface IdentityTables {
  tenant: TenantTable;
  api_key: ApiKeyTable;
  app_user: { tenant_id: string; id: string; created_at: Timestamp };
  traveler_profile: {
    tenant_id: string;
    user_id: string;
    /** Its document and account numbers are ciphertext. */
    profile: Json<TravelerProfile>;
    updated_at: Timestamp;
  };
  traveler_customer: {
    tenant_id: string;
    user_id: string;
    network: string;
    customer_user_id: string;
    created_at: Timestamp;
  };
  audit_log: {
    id: Generated<bigint>;
    at: Timestamp;
    tenant_id: string | null;
    actor: string;
    action: string;
    subject_id: string | null;
    details: Json<Readonly<Record<string, unknown>>>;
  };
}
