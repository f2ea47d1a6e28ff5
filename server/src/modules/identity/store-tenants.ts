import type { Selectable } from "kysely";
import { Failure } from "../../domain/errors.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { TenantTable } from "../../platform/database/tables/identity-tables.ts";
import type { Tenant } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";

const SECRET_BYTES = 32;

const columns = ["id", "name", "plan", "monthly_cap_micro", "is_demo", "created_at"] as const;
type TenantRow = Pick<Selectable<TenantTable>, (typeof columns)[number]>;

function toTenant(row: TenantRow): Tenant {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    monthlyCapMicroUsdc: row.monthly_cap_micro,
    isDemo: row.is_demo,
    createdAt: row.created_at,
  };
}

/** A signing secret lies in its tenant's row; the context keeps it from working in another's. */
export const signingSecretContext = (tenantId: string): string => `signing_secret:${tenantId}`;

export function newSigningSecret(random: RandomBytes): string {
  return `whsec_${Buffer.from(random(SECRET_BYTES)).toString("hex")}`;
}

export function tenantNotFound(): Failure {
  return new Failure("tenant_not_found", { detail: "There is no tenant with this id." });
}

export async function insertTenant(
  queryable: Queryable,
  tenant: Tenant,
  secret: { signingSecret: string; vault: Vault },
): Promise<void> {
  await queryable
    .insertInto("tenant")
    .values({
      id: tenant.id,
      name: tenant.name,
      plan: tenant.plan,
      monthly_cap_micro: tenant.monthlyCapMicroUsdc,
      is_demo: tenant.isDemo,
      signing_secret: secret.vault.encrypt(secret.signingSecret, signingSecretContext(tenant.id)),
      created_at: tenant.createdAt.toString(),
    })
    .execute();
}

export async function selectTenants(queryable: Queryable): Promise<readonly Tenant[]> {
  const rows = await queryable.selectFrom("tenant").select(columns).orderBy("created_at").orderBy("id").execute();
  return rows.map(toTenant);
}

export async function selectTenant(queryable: Queryable, tenantId: string): Promise<Tenant | undefined> {
  const row = await queryable.selectFrom("tenant").select(columns).where("id", "=", tenantId).executeTakeFirst();
  return row === undefined ? undefined : toTenant(row);
}

export async function updateTenant(
  queryable: Queryable,
  tenantId: string,
  change: Partial<Pick<Tenant, "plan" | "monthlyCapMicroUsdc" | "name">>,
): Promise<Tenant | undefined> {
  const values = {
    ...(change.plan === undefined ? {} : { plan: change.plan }),
    ...(change.monthlyCapMicroUsdc === undefined ? {} : { monthly_cap_micro: change.monthlyCapMicroUsdc }),
    ...(change.name === undefined ? {} : { name: change.name }),
  };
  if (Object.keys(values).length === 0) return await selectTenant(queryable, tenantId);
  const row = await queryable
    .updateTable("tenant")
    .set(values)
    .where("id", "=", tenantId)
    .returning(columns)
    .executeTakeFirst();
  return row === undefined ? undefined : toTenant(row);
}

/** Marks the secret as shown and returns it; undefined when it was shown before, or when there is no such tenant. */
export async function takeSigningSecret(
  queryable: Queryable,
  tenantId: string,
  at: Temporal.Instant,
  vault: Vault,
): Promise<string | undefined> {
  const row = await queryable
    .updateTable("tenant")
    .set({ signing_secret_revealed_at: at.toString() })
    .where("id", "=", tenantId)
    .where("signing_secret_revealed_at", "is", null)
    .returning("signing_secret")
    .executeTakeFirst();
  return row === undefined ? undefined : vault.decrypt(row.signing_secret, signingSecretContext(tenantId));
}

export async function replaceSigningSecret(
  queryable: Queryable,
  tenantId: string,
  change: { signingSecret: string; at: Temporal.Instant; vault: Vault },
): Promise<void> {
  const { numUpdatedRows } = await queryable
    .updateTable("tenant")
    .set({
      signing_secret: change.vault.encrypt(change.signingSecret, signingSecretContext(tenantId)),
      signing_secret_revealed_at: change.at.toString(),
    })
    .where("id", "=", tenantId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw tenantNotFound();
}

/** Fails, in words an operator can act on, when this database was written with another master key. */
export async function checkMasterKey(queryable: Queryable, vault: Vault): Promise<void> {
  const row = await queryable.selectFrom("tenant").select(["id", "signing_secret"]).limit(1).executeTakeFirst();
  if (row === undefined) return;
  try {
    vault.decrypt(row.signing_secret, signingSecretContext(row.id));
  } catch (cause) {
    throw new Error(
      "The database was written with another master key. Put the right one back: MASTER_KEY_FILE, or master.key in DATA_DIR.",
      { cause },
    );
  }
}
