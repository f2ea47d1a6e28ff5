import { parseDecimal } from "../domain/money.ts";
import { readWebOrigin } from "../domain/web-origins.ts";
import { discountPercentByPlan, type Identity, type PricePlan } from "../ports/identity.ts";
import { type Arguments, type Command, JSON_NOTE, type Program, UsageError } from "./command-line.ts";
import { keyJson, newKeyLines, tenantJson, tenantLines, tenantTable } from "./describe-identity.ts";
import { tenantLimits } from "./limits.ts";
import type { Operator } from "./open-database.ts";
import { runIdentityProgram } from "./run-identity-program.ts";

const ACTOR = "command";
const plans = Object.keys(discountPercentByPlan);
const planAndCap = { plan: { type: "string" }, cap: { type: "string" } } as const;

const create: Command<Identity> = {
  name: "create",
  summary: "Create a tenant and its sandbox key. The cap limits its spending in a calendar month (default 100 USDC).",
  usage: `--name <name> [--plan ${plans.join("|")}] [--cap <USDC>]`,
  positionals: [],
  options: { name: { type: "string" }, ...planAndCap },
  prepare(args) {
    const input = { name: args.required("name"), ...readPlanAndCap(args), actor: ACTOR };
    return async (identity) => {
      const { tenant, apiKey, key } = await identity.createTenant(input);
      return {
        text: `Tenant created.\n${tenantLines(tenant)}\n${newKeyLines(key, apiKey)}`,
        json: { tenant: tenantJson(tenant), key: keyJson(key), apiKey },
      };
    };
  },
};

const list: Command<Identity> = {
  name: "list",
  summary: "List all tenants.",
  usage: "",
  positionals: [],
  options: {},
  prepare: () => async (identity) => {
    const tenants = await identity.listTenants();
    return { text: tenantTable(tenants), json: { tenants: tenants.map(tenantJson) } };
  },
};

const set: Command<Identity> = {
  name: "set",
  summary: "Change a tenant's plan, monthly cap or name. It applies from the next call.",
  usage: `<tenantId> [--plan ${plans.join("|")}] [--cap <USDC>] [--name <name>]`,
  positionals: ["tenantId"],
  options: { name: { type: "string" }, ...planAndCap },
  prepare(args) {
    const name = args.text("name");
    const change = { ...readPlanAndCap(args), ...(name === undefined ? {} : { name }) };
    if (Object.keys(change).length === 0) throw new UsageError("Nothing to change: give --plan, --cap or --name.");
    const tenantId = args.positional(0);
    return async (identity) => {
      const tenant = await identity.setTenant(tenantId, change, ACTOR);
      if (tenant === undefined) throw noTenant(tenantId);
      return { text: `Tenant changed.\n${tenantLines(tenant)}`, json: { tenant: tenantJson(tenant) } };
    };
  },
};

const network: Command<Identity> = {
  name: "network",
  summary:
    "On the beta network, all keys of a tenant work in the sandbox, even those labeled production; on the live network, each works where its label says.",
  usage: "<tenantId> beta|live",
  positionals: ["tenantId", "environment"],
  options: {},
  prepare(args) {
    const tenantId = args.positional(0);
    const wanted = args.positional(1);
    if (wanted !== "beta" && wanted !== "live") throw new UsageError("The network must be beta or live.");
    return async (identity) => {
      const tenant = await identity.setTenant(tenantId, { isBeta: wanted === "beta" }, ACTOR);
      if (tenant === undefined) throw noTenant(tenantId);
      return { text: `Tenant changed.\n${tenantLines(tenant)}`, json: { tenant: tenantJson(tenant) } };
    };
  },
};

const organization: Command<Identity> = {
  name: "organization",
  summary:
    "Name the tenant's organization at the outside identity provider, which then issues its new keys; none ends that, and with it the keys that it has issued. Keys issued here stay valid.",
  usage: "<tenantId> <organizationId>|none",
  positionals: ["tenantId", "organizationId"],
  options: {},
  prepare(args) {
    const tenantId = args.positional(0);
    const wanted = args.positional(1);
    const organizationId = wanted === "none" ? null : wanted;
    return async (identity) => {
      const tenant = await identity.setTenant(tenantId, { organizationId }, ACTOR);
      if (tenant === undefined) throw noTenant(tenantId);
      return { text: `Tenant changed.\n${tenantLines(tenant)}`, json: { tenant: tenantJson(tenant) } };
    };
  },
};

const linkOrigins: Command<Identity> = {
  name: "link-origins",
  summary:
    "Show or change where a tenant's guest links may lead (linkOrigin of prefund_trip), in addition to the deployment's origins. It applies from the next call; existing links stay as they are.",
  usage: "<tenantId> --list | --add <origin> | --remove <origin>",
  positionals: ["tenantId"],
  options: { list: { type: "boolean" }, add: { type: "string" }, remove: { type: "string" } },
  prepare(args) {
    const tenantId = args.positional(0);
    const change = { add: readOrigin(args, "add"), remove: readOrigin(args, "remove") };
    const asked = [args.flag("list"), change.add !== undefined, change.remove !== undefined];
    if (asked.filter(Boolean).length !== 1) throw new UsageError("Give one of --list, --add and --remove.");
    return async (identity) => {
      const tenant = args.flag("list")
        ? await identity.getTenant(tenantId)
        : await identity.changeLinkOrigins(tenantId, change, ACTOR);
      if (tenant === undefined) throw noTenant(tenantId);
      const { linkOrigins: origins } = tenant;
      const shown = origins.length === 0 ? "none" : origins.join("\n  ");
      return {
        text: `In addition to the deployment's origins, guest links of ${tenantId} may lead to:\n  ${shown}`,
        json: { tenantId, linkOrigins: origins },
      };
    };
  },
};

function readOrigin(args: Arguments, name: "add" | "remove"): string | undefined {
  const text = args.text(name);
  const origin = text === undefined ? undefined : readWebOrigin(text);
  // Origins are compared literally, so a wildcard would allow nothing.
  if (text === undefined || (origin?.startsWith("https://") && !origin.includes("*"))) return origin;
  throw new UsageError(`--${name} must be one https origin without path or wildcard, such as https://app.example.com.`);
}

const signingSecret: Command<Identity> = {
  name: "signing-secret",
  summary: "Show, once, the secret that signs this tenant's answers (x-service-sig); --rotate creates a new one.",
  usage: "<tenantId> [--rotate]",
  positionals: ["tenantId"],
  options: { rotate: { type: "boolean" } },
  prepare(args) {
    const tenantId = args.positional(0);
    const rotate = args.flag("rotate");
    return async (identity) => {
      const secret = rotate
        ? await identity.rotateSigningSecret(tenantId, ACTOR)
        : await identity.revealSigningSecret(tenantId, ACTOR);
      if (secret === undefined) {
        const again = `npm run tenant -- signing-secret ${tenantId} --rotate`;
        throw new Error(
          `This signing secret was already shown. To create a new one, which ends the old one at once: ${again}`,
        );
      }
      return {
        text: `The signing secret of ${tenantId} is shown only this once; it is stored encrypted:\n  ${secret}`,
        json: { tenantId, signingSecret: secret },
      };
    };
  },
};

function noTenant(tenantId: string): Error {
  return new Error(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
}

function readPlanAndCap(args: Arguments): { plan?: PricePlan; monthlyCapMicroUsdc?: bigint } {
  const plan = args.text("plan");
  const cap = args.text("cap");
  const monthlyCapMicroUsdc = cap === undefined ? undefined : parseDecimal(cap);
  if (plan !== undefined && !isPlan(plan)) throw new UsageError(`--plan must be one of ${plans.join(", ")}.`);
  if (cap !== undefined && monthlyCapMicroUsdc === undefined) {
    throw new UsageError("--cap must be an amount in USDC with at most 6 decimal places, such as 250 or 99.50.");
  }
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(monthlyCapMicroUsdc === undefined ? {} : { monthlyCapMicroUsdc }),
  };
}

function isPlan(text: string): text is PricePlan {
  return Object.hasOwn(discountPercentByPlan, text);
}

export const tenantProgram: Program<Operator> = {
  name: "tenant",
  summary: "Manages the tenants of this deployment, with their plans, networks and monthly caps.",
  commands: [create, list, set, network, organization, linkOrigins, signingSecret, tenantLimits],
  notes: [JSON_NOTE],
};

if (import.meta.main) await runIdentityProgram(tenantProgram);
