import { readConfig } from "../config/config.ts";
import { systemRandom } from "../domain/ids.ts";
import { createIdentity } from "../modules/identity/identity.ts";
import type { InternalToken, InternalTokenAdministration, TokenKeys } from "../modules/workflows/index.ts";
import { TokenAdministration } from "../modules/workflows/store-internal-tokens.ts";
import type { Environment } from "../ports/identity.ts";
import { type Command, formatTable, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { withDatabase } from "./open-database.ts";
import { runAsCommand } from "./run-as-command.ts";

const ACTOR = "command";
const LONGEST_NAME = 100;

interface Tokens {
  tokens: InternalTokenAdministration;
  keys: TokenKeys;
}

const noToken = (id: string): Error => new Error(`There is no token ${id}. List them: npm run token -- list`);

const issue: Command<Tokens> = {
  name: "issue",
  summary: "Create an internal token. It is shown once. It can do nothing until it is bound to a tenant.",
  usage: "--name <name>",
  positionals: [],
  options: { name: { type: "string" } },
  prepare(args) {
    const name = args.required("name").trim();
    if (name === "" || name.length > LONGEST_NAME)
      throw new UsageError(`--name must have 1 to ${LONGEST_NAME} characters.`);
    return async ({ tokens }) => {
      const { token, id } = await tokens.issue(name, ACTOR);
      return {
        text: `Token ${id} issued. It is shown only this once; only its hash is stored:\n  ${token}\nBind it: npm run token -- bind ${id} --tenant <tenantId>`,
        json: { id, name, token },
      };
    };
  },
};

const rotate: Command<Tokens> = {
  name: "rotate",
  summary: "Replace a token with a new one, which is shown once. The old one ends at once; its tenants stay bound.",
  usage: "<tokenId>",
  positionals: ["tokenId"],
  options: {},
  prepare(args) {
    const id = args.positional(0);
    return async ({ tokens }) => {
      const token = await tokens.rotate(id, ACTOR);
      if (token === undefined) throw noToken(id);
      return { text: `Token ${id} is now (shown only this once):\n  ${token}`, json: { id, token } };
    };
  },
};

const revoke: Command<Tokens> = {
  name: "revoke",
  summary: "Revoke a token at once. Runs that it started continue; to stop those too, unbind its tenants.",
  usage: "<tokenId>",
  positionals: ["tokenId"],
  options: {},
  prepare(args) {
    const id = args.positional(0);
    return async ({ tokens }) => {
      if (!(await tokens.revoke(id, ACTOR))) throw noToken(id);
      return { text: `Token ${id} is revoked.`, json: { id, revoked: true } };
    };
  },
};

const bind: Command<Tokens> = {
  name: "bind",
  summary: "Let a token start and resume workflows for a tenant, in one environment (default sandbox).",
  usage: "<tokenId> --tenant <tenantId> [--environment sandbox|production]",
  positionals: ["tokenId"],
  options: { tenant: { type: "string" }, environment: { type: "string" } },
  prepare(args) {
    const id = args.positional(0);
    const tenantId = args.required("tenant");
    const environment = readEnvironment(args.text("environment"));
    return async ({ tokens, keys }) => {
      if (!(await tokens.bind(keys, id, { tenantId, environment }, ACTOR))) throw noToken(id);
      return { text: `Token ${id} acts for ${tenantId} in ${environment}.`, json: { id, tenantId, environment } };
    };
  },
};

const unbind: Command<Tokens> = {
  name: "unbind",
  summary: "Unbind a tenant from a token. Runs that it started for the tenant wait for another key.",
  usage: "<tokenId> --tenant <tenantId>",
  positionals: ["tokenId"],
  options: { tenant: { type: "string" } },
  prepare(args) {
    const id = args.positional(0);
    const tenantId = args.required("tenant");
    return async ({ tokens, keys }) => {
      if (!(await tokens.unbind(keys, id, tenantId, ACTOR)))
        throw new Error(`Token ${id} does not act for ${tenantId}.`);
      return { text: `Token ${id} no longer acts for ${tenantId}.`, json: { id, tenantId, bound: false } };
    };
  },
};

const list: Command<Tokens> = {
  name: "list",
  summary: "List all internal tokens with their tenants, including revoked ones.",
  usage: "",
  positionals: [],
  options: {},
  prepare: () => async (opened) => {
    const tokens = await opened.tokens.list();
    const text =
      tokens.length === 0 ? "There is no token yet. Create one: npm run token -- issue --name <name>" : table(tokens);
    return { text, json: { tokens } };
  },
};

function table(tokens: readonly InternalToken[]): string {
  const rows = tokens.map(({ id, name, start, revokedAt, tenants }) => [
    ...[id, name, `${start}…`, revokedAt === undefined ? "live" : "revoked"],
    tenants.map(({ tenantId, environment }) => `${tenantId} (${environment})`).join(", "),
  ]);
  return formatTable(["id", "name", "start", "state", "tenants"], rows);
}

function readEnvironment(text: string | undefined): Environment {
  if (text === undefined || text === "sandbox") return "sandbox";
  if (text === "production") return "production";
  throw new UsageError("--environment must be sandbox or production.");
}

export const tokenProgram: Program<Tokens> = {
  name: "token",
  summary: "Manages internal tokens, with which the operator's own systems start and resume workflows for tenants.",
  commands: [issue, rotate, revoke, bind, unbind, list],
  notes: [JSON_NOTE],
};

if (import.meta.main) {
  await runAsCommand(tokenProgram, (options, work) => {
    const config = readConfig(process.env);
    return withDatabase(config, options, async ({ db, pool, vault, clock, embedded: { databaseUrl } }) => {
      const { networkMode } = config;
      const keys = createIdentity({ db, pool, databaseUrl, vault, clock, networkMode, log: options.log });
      try {
        return await work({ tokens: new TokenAdministration(db, { clock, random: systemRandom }), keys });
      } finally {
        await keys.close();
      }
    });
  });
}
