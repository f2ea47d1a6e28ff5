import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { ADMINISTERS_TENANTS, hasScope } from "../../domain/scopes.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import { discountPercentByPlan, type Principal, type Tenant } from "../../ports/identity.ts";
import type { Parts } from "./context.ts";

type TenantPorts = Pick<Parts, "identity" | "settings">;

const TAG = "tenants";
const LONGEST_NAME = 100;
/** Each new tenant has a wallet and an agent on the chain, so that nobody makes them without end. */
const MOST_TENANTS = 10_000;
const PLANS = ["free", "pro", "enterprise"] as const;

const Plan = z
  .enum(PLANS)
  .describe(PLANS.map((plan) => `${plan}: ${discountPercentByPlan[plan]} % off the list prices`).join("; "));
const Cap = z
  .string()
  .max(20)
  .refine((text) => parseDecimal(text) !== undefined, {
    message: "must be a decimal amount with at most 6 places, such as 250",
  })
  .describe("The most that the tenant's calls may cost in a calendar month (UTC), in USDC");

const TenantAnswer = z.object({
  tenantId: z.string(),
  name: wordsOfOthers(),
  plan: z.enum(PLANS),
  discountPercent: z.number().describe("Off the list prices"),
  monthlyCapUsdc: z.string(),
  isBeta: z.boolean().describe("true: all of its keys work in the sandbox"),
  createdAt: z.string().meta({ format: "date-time" }),
});

const example: z.output<typeof TenantAnswer> = {
  tenantId: "tenant_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  name: "Example Travel",
  plan: "pro",
  discountPercent: 30,
  monthlyCapUsdc: "100.00",
  isBeta: false,
  createdAt: "2030-01-01T09:00:00Z",
};

const describedPlans = PLANS.map((plan) => ({ plan, discountPercent: discountPercentByPlan[plan] }));

const Name = z.string().trim().min(1).max(LONGEST_NAME);

const listTenants = defineRoute({
  id: "list_tenants",
  method: "GET",
  path: "/api/tenants",
  tag: TAG,
  summary: "List tenants",
  description:
    "Your own tenant with its plan. For the operator, every tenant of the deployment, newest first: an owner or admin of the tenant that `OPERATOR_TENANT` names, in the environment that the deployment runs in.",
  scope: "account:read",
  query: z.object({
    ...pageQuery(z.string().regex(/^tenant_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    text: z.string().min(1).max(LONGEST_NAME).describe("A part of the name or of the id").exactOptional(),
  }),
  answers: {
    200: {
      description: "The tenants.",
      schema: z.object({
        tenants: z.array(TenantAnswer),
        plans: z.array(z.object({ plan: z.enum(PLANS), discountPercent: z.number() })).describe("Every plan"),
        isOperator: z.boolean().describe("Whether you may create tenants and change their plans"),
        nextCursor: NextCursor,
      }),
    },
  },
  errors: {},
  example: { answer: { tenants: [example], plans: describedPlans, isOperator: false, nextCursor: null } },
  async run({ principal, query }, ports: TenantPorts) {
    const isOperator = await isOperators(principal, ports);
    const { cursor, text, ...page } = query;
    const all = isOperator ? await ports.identity.listTenants() : await ownTenant(principal, ports);
    const words = text?.toLowerCase();
    const matching = all
      .filter(({ id }) => cursor === undefined || id < cursor)
      .filter(({ id, name }) => words === undefined || `${id} ${name}`.toLowerCase().includes(words))
      .toSorted((one, other) => (one.id < other.id ? 1 : -1));
    const { shown, nextCursor } = await readPage(
      page,
      async (limit) => matching.slice(0, limit),
      ({ id }) => id,
    );
    return { tenants: shown.map(describeTenant), plans: describedPlans, isOperator, nextCursor };
  },
});

const createTenant = defineRoute({
  id: "create_tenant",
  method: "POST",
  path: "/api/tenants",
  tag: TAG,
  summary: "Create a tenant",
  description:
    "For the operator. The tenant comes with a sandbox key, which is shown once. If the answer is lost, the tenant is in the list, and a command makes another key for it.",
  scope: ADMINISTERS_TENANTS,
  body: z.strictObject({
    name: Name,
    plan: Plan.exactOptional(),
    monthlyCapUsdc: Cap.exactOptional(),
  }),
  answers: {
    200: {
      description: "The tenant, with its first key.",
      schema: z.object({
        tenant: TenantAnswer,
        keyId: z.string(),
        apiKey: z.string().describe("Shown only here: a hash of it is stored"),
      }),
    },
  },
  errors: { conflict: `A deployment has at most ${MOST_TENANTS} tenants.` },
  example: {
    body: { name: "Example Travel", plan: "pro" },
    answer: { tenant: example, keyId: "key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4", apiKey: `ak_${"x".repeat(40)}` },
  },
  async run({ principal, body, fail }, ports: TenantPorts) {
    const operator = await findOperator(principal, ports);
    if (operator === undefined) {
      throw new Failure("missing_scope", {
        detail:
          "Only owners and admins of the tenant that operates this deployment create tenants; OPERATOR_TENANT names it.",
        extra: { scope: ADMINISTERS_TENANTS },
      });
    }
    if ((await ports.identity.listTenants()).length >= MOST_TENANTS) throw fail("conflict");
    const { tenant, key, apiKey } = await ports.identity.createTenant({
      ...readChange(body),
      name: toVisibleText(body.name, LONGEST_NAME),
      actor: OPERATOR,
      operator,
    });
    return { tenant: describeTenant(tenant), keyId: key.id, apiKey };
  },
});

const changeTenant = defineRoute({
  id: "change_tenant",
  method: "POST",
  path: "/api/tenants/:tenantId",
  tag: TAG,
  summary: "Change a tenant",
  description: "For the operator: the plan, the monthly cap or the name. It applies from the tenant's next call.",
  scope: ADMINISTERS_TENANTS,
  params: z.object({ tenantId: z.string().regex(/^tenant_[0-9A-Z]{26}$/) }),
  body: z.strictObject({
    name: Name.exactOptional(),
    plan: Plan.exactOptional(),
    monthlyCapUsdc: Cap.exactOptional(),
  }),
  answers: { 200: { description: "The tenant.", schema: TenantAnswer } },
  errors: { not_found: "There is no such tenant." },
  example: { body: { plan: "pro" }, answer: example },
  async run({ principal, params: { tenantId }, body, fail }, ports: TenantPorts) {
    const operator = await findOperator(principal, ports);
    if (operator === undefined) throw fail("not_found");
    const { name } = body;
    const change = { ...readChange(body), ...(name === undefined ? {} : { name: toVisibleText(name, LONGEST_NAME) }) };
    const tenant = await ports.identity.setTenant(tenantId, change, OPERATOR, operator);
    if (tenant === undefined) throw fail("not_found");
    return describeTenant(tenant);
  },
});

export const tenantRoutes = [listTenants, createTenant, changeTenant];

/** The changed tenant's audit log does not name people of another tenant. */
const OPERATOR = "operator";

/** Members of the sandbox do not operate a deployment that runs in production. */
async function isOperators({ tenantId, environment, scopes }: Principal, ports: TenantPorts): Promise<boolean> {
  const { networkMode, operatorTenant } = ports.settings;
  if (!hasScope(scopes, ADMINISTERS_TENANTS) || environment !== networkMode) return false;
  if (operatorTenant !== undefined) return tenantId === operatorTenant;
  return (await ports.identity.getTenant(tenantId))?.isDemo === true;
}

/** Undefined: the caller is none, and knows no tenant but their own. */
async function findOperator(principal: Principal, ports: TenantPorts) {
  const { tenantId, environment, personId, serviceAccountId } = principal;
  if (!(await isOperators(principal, ports))) return undefined;
  return { tenantId, environment, actor: personId ?? serviceAccountId };
}

async function ownTenant({ tenantId }: Principal, { identity }: TenantPorts): Promise<readonly Tenant[]> {
  const tenant = await identity.getTenant(tenantId);
  return tenant === undefined ? [] : [tenant];
}

function readChange({
  plan,
  monthlyCapUsdc,
}: {
  plan?: (typeof PLANS)[number];
  monthlyCapUsdc?: string;
}): Pick<Partial<Tenant>, "plan" | "monthlyCapMicroUsdc"> {
  const cap = monthlyCapUsdc === undefined ? undefined : parseDecimal(monthlyCapUsdc);
  return { ...(plan === undefined ? {} : { plan }), ...(cap === undefined ? {} : { monthlyCapMicroUsdc: cap }) };
}

const describeTenant = ({ id, name, plan, monthlyCapMicroUsdc, isBeta, createdAt }: Tenant) => ({
  tenantId: id,
  name,
  plan,
  discountPercent: discountPercentByPlan[plan],
  monthlyCapUsdc: formatDecimal(monthlyCapMicroUsdc),
  isBeta,
  createdAt: createdAt.toString(),
});
