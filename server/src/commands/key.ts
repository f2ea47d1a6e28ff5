import type { Micro } from "../domain/money.ts";
import { knownScopes, personalScopes } from "../domain/scopes.ts";
import type { Limits } from "../modules/limits/index.ts";
import { systemClock } from "../ports/clock.ts";
import type { ApiKey, Environment, Identity } from "../ports/identity.ts";
import { type Command, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { describeFees, keyJson, keyTable, newKeyLines } from "./describe-identity.ts";
import { keyLimitOptions, keyLimits, LIMITS_NOTE, readLimitOptions } from "./limits.ts";
import type { Operator } from "./open-database.ts";
import { runIdentityProgram } from "./run-identity-program.ts";

const ACTOR = "command";
const ENVIRONMENTS: readonly Environment[] = ["sandbox", "production"];
const HOURS_BY_UNIT: Readonly<Record<string, number>> = { d: 24, h: 1 };
const LIFETIME = /^([1-9][0-9]{0,4})([dh])$/;

const mint: Command<Operator> = {
  name: "mint",
  summary:
    "Create a key. It is shown once. Without --scopes, a sandbox key gets *, a production key every read scope and reputation:write.",
  usage:
    "--tenant <tenantId> [--environment sandbox|production] [--person <userId>] [--name <name>] [--scopes a,b] [--expires 30d|12h|2027-01-01T00:00:00Z] [--max-fees <USDC>] [--per-call <USDC>] [--per-day <USDC>] [--per-month <USDC>] [--recipients <address,…>] [--tools <name,…>]",
  positionals: [],
  options: {
    tenant: { type: "string" },
    environment: { type: "string" },
    person: { type: "string" },
    name: { type: "string" },
    scopes: { type: "string" },
    expires: { type: "string" },
    ...keyLimitOptions,
  },
  prepare(args) {
    const limits = readLimitOptions(args);
    const name = args.text("name");
    const personId = args.text("person");
    const scopes = args.text("scopes");
    const expires = args.text("expires");
    const input = {
      tenantId: args.required("tenant"),
      environment: readEnvironment(args.text("environment")),
      ...(name === undefined ? {} : { name }),
      ...(personId === undefined ? {} : { personId }),
      ...(scopes === undefined ? {} : { scopes: scopes.split(",").map((scope) => scope.trim()) }),
      ...(expires === undefined ? {} : { expiresAt: readExpiry(expires, systemClock.now()) }),
      actor: ACTOR,
    };
    return async (operator) => {
      const { apiKey, key } = await operator.mintKey(input);
      // Before the key is shown: nobody can use it without its limits.
      for (const one of ENVIRONMENTS) await limitKey(operator, key, one, limits);
      return { text: `Key minted.\n${newKeyLines(key, apiKey)}`, json: { key: keyJson(key), apiKey } };
    };
  },
};

const rotate: Command<Operator> = {
  name: "rotate",
  summary:
    "Create a key with the name, person, scopes, expiry and limits of an existing one. The old key keeps working until it is revoked; with --revoke, it ends at once. Used amounts count from zero.",
  usage: "--tenant <tenantId> <keyId> [--revoke]",
  positionals: ["keyId"],
  options: { tenant: { type: "string" }, revoke: { type: "boolean" } },
  prepare(args) {
    const tenantId = args.required("tenant");
    const keyId = args.positional(0);
    const revokes = args.flag("revoke");
    return async (operator) => {
      const old = (await operator.listKeys(tenantId)).find(({ id }) => id === keyId);
      if (old === undefined) throw noKey(tenantId, keyId);
      if (old.revokedAt !== undefined) throw new Error(`Key ${keyId} is revoked. Mint a new one: npm run key -- mint`);
      const { personId, name, environment, scopes, expiresAt } = old;
      const { apiKey, key } = await operator.mintKey({
        tenantId,
        ...(personId === undefined ? {} : { personId }),
        name,
        environment,
        scopes,
        ...(expiresAt === undefined ? {} : { expiresAt }),
        actor: ACTOR,
      });
      for (const one of ENVIRONMENTS) {
        await limitKey(operator, key, one, await operator.spending.spendLimits.get(tenantId, one, keyId));
      }
      if (revokes) await operator.revokeKey(tenantId, keyId, ACTOR);
      const end = revokes
        ? `Key ${keyId} is revoked.`
        : `Key ${keyId} still works. Once nothing uses it any more, run: npm run key -- revoke --tenant ${tenantId} ${keyId}`;
      return {
        text: `Key rotated.\n${newKeyLines(key, apiKey)}\n${end}`,
        json: { key: keyJson(key), apiKey, oldKeyId: keyId, oldKeyRevoked: revokes },
      };
    };
  },
};

/** Stores the limits that are set; a new key has none. A production key can act in the sandbox, so both environments have them. */
async function limitKey(
  { spending }: Operator,
  { tenantId, id }: ApiKey,
  environment: Environment,
  limits: Partial<Limits>,
): Promise<void> {
  if (Object.values(limits).every((limit) => limit === undefined)) return;
  await spending.spendLimits.set(tenantId, environment, id, limits, ACTOR);
}

const list: Command<Operator> = {
  name: "list",
  summary: "List a tenant's keys, including revoked ones, with what their calls may cost per month.",
  usage: "--tenant <tenantId>",
  positionals: [],
  options: { tenant: { type: "string" } },
  prepare(args) {
    const tenantId = args.required("tenant");
    return async (operator) => {
      if ((await operator.getTenant(tenantId)) === undefined) throw noTenant(tenantId);
      const keys = await operator.listKeys(tenantId);
      const fees = new Map<string, Micro>();
      for (const { id, environment } of keys) {
        const limits = await operator.spending.spendLimits.get(tenantId, environment, id);
        if (limits.fees !== undefined) fees.set(id, limits.fees);
      }
      return {
        text: keyTable(keys, fees, systemClock.now()),
        json: { keys: keys.map((key) => ({ ...keyJson(key), maxFeesUsdc: describeFees(fees.get(key.id)) })) },
      };
    };
  },
};

const revoke: Command<Identity> = {
  name: "revoke",
  summary: "Revoke a key: at once for calls that write or spend, within 15 seconds for reads. It cannot be undone.",
  usage: "--tenant <tenantId> <keyId>",
  positionals: ["keyId"],
  options: { tenant: { type: "string" } },
  prepare(args) {
    const tenantId = args.required("tenant");
    const keyId = args.positional(0);
    return async (identity) => {
      if (!(await identity.revokeKey(tenantId, keyId, ACTOR))) {
        throw noKey(tenantId, keyId);
      }
      return { text: `Key ${keyId} is revoked.`, json: { keyId, revoked: true } };
    };
  },
};

function noTenant(tenantId: string): Error {
  return new Error(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
}

function noKey(tenantId: string, keyId: string): Error {
  return new Error(`Tenant ${tenantId} has no key ${keyId}. List them: npm run key -- list --tenant ${tenantId}`);
}

function readEnvironment(text: string | undefined): Environment {
  if (text === undefined || text === "sandbox") return "sandbox";
  if (text === "production") return "production";
  throw new UsageError("--environment must be sandbox or production.");
}

function readExpiry(text: string, now: Temporal.Instant): Temporal.Instant {
  const [, count, unit = ""] = LIFETIME.exec(text) ?? [];
  const hours = HOURS_BY_UNIT[unit];
  if (count !== undefined && hours !== undefined) {
    return now.add({ hours: Number(count) * hours }).round("second");
  }
  try {
    return Temporal.Instant.from(text);
  } catch {
    throw new UsageError(
      "--expires must be a time with offset, such as 2027-01-01T00:00:00Z, or a duration, such as 30d or 12h.",
    );
  }
}

export const keyProgram: Program<Operator> = {
  name: "key",
  summary: "Manages a tenant's API keys.",
  commands: [mint, list, rotate, revoke, keyLimits],
  notes: [
    `Scopes: ${knownScopes.join(", ")}`,
    `Only a person's key (--person, a user created with npm run user -- add) can have ${personalScopes.join(", ")}; * includes none of them.`,
    "While NETWORK_MODE is sandbox, and for tenants on the beta network, production keys act as sandbox keys.",
    LIMITS_NOTE,
    JSON_NOTE,
  ],
};

if (import.meta.main) await runIdentityProgram(keyProgram);
