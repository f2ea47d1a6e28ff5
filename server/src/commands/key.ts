import { knownScopes, personalScopes } from "../domain/scopes.ts";
import { systemClock } from "../ports/clock.ts";
import type { Environment, Identity } from "../ports/identity.ts";
import { type Command, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { keyJson, keyTable, newKeyLines } from "./describe-identity.ts";
import { keyLimits } from "./limits.ts";
import type { Operator } from "./open-database.ts";
import { runIdentityProgram } from "./run-identity-program.ts";

const ACTOR = "command";
const HOURS_BY_UNIT: Readonly<Record<string, number>> = { d: 24, h: 1 };
const LIFETIME = /^([1-9][0-9]{0,4})([dh])$/;

const mint: Command<Identity> = {
  name: "mint",
  summary: "Make a key. It is shown once. Without --scopes: sandbox *, production every read and reputation:write.",
  usage:
    "--tenant <tenantId> [--environment sandbox|production] [--person <userId>] [--name <name>] [--scopes a,b] [--expires 30d|12h|2027-01-01T00:00:00Z]",
  positionals: [],
  options: {
    tenant: { type: "string" },
    environment: { type: "string" },
    person: { type: "string" },
    name: { type: "string" },
    scopes: { type: "string" },
    expires: { type: "string" },
  },
  prepare(args) {
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
    return async (identity) => {
      const { apiKey, key } = await identity.mintKey(input);
      return { text: `Key minted.\n${newKeyLines(key, apiKey)}`, json: { key: keyJson(key), apiKey } };
    };
  },
};

const list: Command<Identity> = {
  name: "list",
  summary: "List a tenant's keys, also revoked ones.",
  usage: "--tenant <tenantId>",
  positionals: [],
  options: { tenant: { type: "string" } },
  prepare(args) {
    const tenantId = args.required("tenant");
    return async (identity) => {
      if ((await identity.getTenant(tenantId)) === undefined) throw noTenant(tenantId);
      const keys = await identity.listKeys(tenantId);
      return { text: keyTable(keys, systemClock.now()), json: { keys: keys.map(keyJson) } };
    };
  },
};

const revoke: Command<Identity> = {
  name: "revoke",
  summary: "End a key: at once for what writes or spends, within 15 seconds for reads. It cannot be undone.",
  usage: "--tenant <tenantId> <keyId>",
  positionals: ["keyId"],
  options: { tenant: { type: "string" } },
  prepare(args) {
    const tenantId = args.required("tenant");
    const keyId = args.positional(0);
    return async (identity) => {
      if (!(await identity.revokeKey(tenantId, keyId, ACTOR))) {
        throw new Error(`Tenant ${tenantId} has no key ${keyId}. List them: npm run key -- list --tenant ${tenantId}`);
      }
      return { text: `Key ${keyId} is revoked.`, json: { keyId, revoked: true } };
    };
  },
};

function noTenant(tenantId: string): Error {
  return new Error(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
}

function readEnvironment(text: string | undefined): Environment {
  if (text === undefined || text === "sandbox") return "sandbox";
  if (text === "production") return "production";
  throw new UsageError("--environment is sandbox or production.");
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
    throw new UsageError("--expires is a time with its offset, such as 2027-01-01T00:00:00Z, or a span: 30d, 12h.");
  }
}

export const keyProgram: Program<Operator> = {
  name: "key",
  summary: "API keys of a tenant.",
  commands: [mint, list, revoke, keyLimits],
  notes: [
    `Scopes: ${knownScopes.join(", ")}`,
    `Only the key of a person (--person, a user that npm run user -- add has made) can have ${personalScopes.join(", ")}; * includes none of them.`,
    "While NETWORK_MODE is sandbox, and for tenants on the beta network, production keys act as sandbox keys.",
    JSON_NOTE,
  ],
};

if (import.meta.main) await runIdentityProgram(keyProgram);
