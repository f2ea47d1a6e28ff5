import { Failure } from "../../domain/errors.ts";
import type { RandomBytes } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Tenant } from "../../ports/identity.ts";
import { OtherKeyError, type Vault } from "../../ports/vault.ts";

const SECRET_BYTES = 32;

const columns = [
  "id",
  "name",
  "plan",
  "monthlyCapMicro as monthlyCapMicroUsdc",
  "isDemo",
  "isBeta",
  "organizationId",
  "linkOrigins",
  "createdAt",
] as const;
/** A signing secret is in its tenant's row; the context makes it invalid in another one. */
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
      monthlyCapMicro: tenant.monthlyCapMicroUsdc,
      isDemo: tenant.isDemo,
      isBeta: tenant.isBeta,
      signingSecret: secret.vault.encrypt(secret.signingSecret, signingSecretContext(tenant.id)),
      createdAt: tenant.createdAt.toString(),
    })
    .execute();
}

export async function selectTenants(queryable: Queryable): Promise<readonly Tenant[]> {
  return await queryable.selectFrom("tenant").select(columns).orderBy("createdAt").orderBy("id").execute();
}

export async function selectTenant(queryable: Queryable, tenantId: string): Promise<Tenant | undefined> {
  return await queryable.selectFrom("tenant").select(columns).where("id", "=", tenantId).executeTakeFirst();
}

export async function updateTenant(
  queryable: Queryable,
  tenantId: string,
  change: Partial<Pick<Tenant, "plan" | "monthlyCapMicroUsdc" | "name" | "isBeta" | "organizationId">>,
): Promise<Tenant | undefined> {
  const { plan, monthlyCapMicroUsdc: monthlyCapMicro, name, isBeta, organizationId } = change;
  if ([plan, monthlyCapMicro, name, isBeta, organizationId].every((value) => value === undefined)) {
    return await selectTenant(queryable, tenantId);
  }
  if (typeof organizationId === "string") await requireFree(queryable, tenantId, organizationId);
  return await queryable
    .updateTable("tenant")
    .set({ plan, monthlyCapMicro, name, isBeta, organizationId })
    .where("id", "=", tenantId)
    .returning(columns)
    .executeTakeFirst();
}

/** Its members would otherwise be another tenant's. */
async function requireFree(queryable: Queryable, tenantId: string, organizationId: string): Promise<void> {
  const other = await queryable
    .selectFrom("tenant")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("id", "<>", tenantId)
    .executeTakeFirst();
  if (other !== undefined)
    throw new Failure("conflict", { detail: `It is the organization of the tenant ${other.id}.` });
}

/** Locks the tenant against changes until the transaction ends. */
export async function lockTenant(transaction: Queryable, tenantId: string): Promise<Tenant | undefined> {
  return await transaction
    .selectFrom("tenant")
    .select(columns)
    .where("id", "=", tenantId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function updateLinkOrigins(
  queryable: Queryable,
  tenantId: string,
  linkOrigins: readonly string[],
): Promise<void> {
  await queryable
    .updateTable("tenant")
    .set({ linkOrigins: [...linkOrigins] })
    .where("id", "=", tenantId)
    .execute();
}

/** Marks the secret as shown and returns it; undefined if it was shown before, or there is no such tenant. */
export async function takeSigningSecret(
  queryable: Queryable,
  tenantId: string,
  at: Temporal.Instant,
  vault: Vault,
): Promise<string | undefined> {
  const row = await queryable
    .updateTable("tenant")
    .set({ signingSecretRevealedAt: at.toString() })
    .where("id", "=", tenantId)
    .where("signingSecretRevealedAt", "is", null)
    .returning("signingSecret")
    .executeTakeFirst();
  return row === undefined ? undefined : vault.decrypt(row.signingSecret, signingSecretContext(tenantId));
}

export async function replaceSigningSecret(
  queryable: Queryable,
  tenantId: string,
  change: { signingSecret: string; at: Temporal.Instant; vault: Vault },
): Promise<void> {
  const { numUpdatedRows } = await queryable
    .updateTable("tenant")
    .set({
      signingSecret: change.vault.encrypt(change.signingSecret, signingSecretContext(tenantId)),
      signingSecretRevealedAt: change.at.toString(),
    })
    .where("id", "=", tenantId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw tenantNotFound();
}

/** Fails with a message for the operator if this database was written with another master key. */
export async function checkMasterKey(queryable: Queryable, vault: Vault): Promise<void> {
  const row = await queryable.selectFrom("tenant").select(["id", "signingSecret"]).limit(1).executeTakeFirst();
  if (row === undefined) return;
  try {
    vault.decrypt(row.signingSecret, signingSecretContext(row.id));
  } catch (cause) {
    throw new OtherKeyError("The database was written with another master key.", { cause });
  }
}
