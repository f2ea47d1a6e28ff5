import { formatDecimal, type Micro } from "../domain/money.ts";
import type { ApiKey, Tenant } from "../ports/identity.ts";
import { formatTable } from "./command-line.ts";

/** Tenants and keys as an operator sees them: lines for a person, plain objects for `--json`. */

export function tenantJson(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    plan: tenant.plan,
    monthlyCapUsdc: formatDecimal(tenant.monthlyCapMicroUsdc),
    demo: tenant.isDemo,
    network: networkName(tenant),
    organizationId: tenant.organizationId,
    createdAt: tenant.createdAt.toString(),
  };
}

export function keyJson(key: ApiKey) {
  return {
    id: key.id,
    tenantId: key.tenantId,
    name: key.name,
    start: key.start,
    environment: key.environment,
    scopes: key.scopes,
    createdAt: key.createdAt.toString(),
    expiresAt: key.expiresAt?.toString() ?? null,
    revokedAt: key.revokedAt?.toString() ?? null,
    lastUsedAt: key.lastUsedAt?.toString() ?? null,
  };
}

export function tenantLines(tenant: Tenant): string {
  return formatTable(
    ["  id", tenant.id],
    [
      ["  name", tenant.name],
      ["  plan", tenant.plan],
      ["  cap", `${formatDecimal(tenant.monthlyCapMicroUsdc)} USDC a month`],
      [
        "  network",
        tenant.isBeta ? "beta: all of its keys work in the sandbox" : "each key works where its label says",
      ],
      ...(tenant.organizationId === null ? [] : [["  organization", tenant.organizationId]]),
    ],
  );
}

export function tenantTable(tenants: readonly Tenant[]): string {
  if (tenants.length === 0) return "There is no tenant yet. Create one with: npm run tenant -- create --name <name>";
  const rows = tenants.map((tenant) => [
    tenant.id,
    tenant.name + (tenant.isDemo ? " (demo)" : ""),
    tenant.plan,
    formatDecimal(tenant.monthlyCapMicroUsdc),
    tenant.isBeta ? "in the sandbox" : "as labelled",
    day(tenant.createdAt),
  ]);
  return formatTable(["ID", "NAME", "PLAN", "CAP USDC", "KEYS WORK", "CREATED"], rows);
}

/** `fees`: the most that a key's calls may cost in a month, by the key's id. */
export function keyTable(keys: readonly ApiKey[], fees: ReadonlyMap<string, Micro>, now: Temporal.Instant): string {
  if (keys.length === 0) return "This tenant has no key.";
  const rows = keys.map((key) => [
    key.id,
    `${key.start}…`,
    key.name,
    key.environment,
    describeState(key, now),
    describeFees(fees.get(key.id)) ?? "no cap",
    key.lastUsedAt === undefined ? "never" : key.lastUsedAt.toString({ smallestUnit: "second" }),
    key.scopes.join(","),
  ]);
  return formatTable(["ID", "KEY", "NAME", "ENVIRONMENT", "STATE", "FEES USDC", "LAST USED", "SCOPES"], rows);
}

export const describeFees = (fees: Micro | undefined): string | null =>
  fees === undefined ? null : formatDecimal(fees);

export function newKeyLines(key: ApiKey, apiKey: string): string {
  return [
    formatTable(
      ["  key id", key.id],
      [
        ["  environment", key.environment],
        ["  scopes", key.scopes.join(",")],
        ["  expires", key.expiresAt?.toString() ?? "never"],
      ],
    ),
    "The API key is shown only this once; only its hash is stored:",
    `  ${apiKey}`,
  ].join("\n");
}

function networkName({ isBeta }: Tenant): "beta" | "live" {
  return isBeta ? "beta" : "live";
}

function describeState(key: ApiKey, now: Temporal.Instant): string {
  if (key.revokedAt !== undefined) return `revoked ${day(key.revokedAt)}`;
  if (key.expiresAt === undefined) return "in force";
  return Temporal.Instant.compare(key.expiresAt, now) <= 0
    ? `expired ${day(key.expiresAt)}`
    : `until ${key.expiresAt.toString({ smallestUnit: "second" })}`;
}

function day(instant: Temporal.Instant): string {
  return instant.toString().slice(0, 10);
}
