import { z } from "zod";
import { type Issue, invalidInput } from "../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { DecimalAmount, IsoDate } from "../../domain/schemas.ts";
import { ADMINISTERS_POLICIES } from "../../domain/scopes.ts";
import type { Hex } from "../../domain/tokens.ts";
import { findKeyId, isUserId } from "../../domain/user-ids.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import type { TenantMemory } from "../identity/index.ts";
import type { Budget } from "./budgets.ts";
import type { Reads, Stores } from "./context.ts";
import { type BudgetState, readBudgets } from "./read-budgets.ts";

const MOST_IDS = 200;
/** The largest value that the database can hold. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;

const isAmount = (text: string): boolean => {
  const amount = parseDecimal(text);
  return amount !== undefined && amount <= MAXIMUM_MICRO;
};
const ids = (schema: z.ZodType<string, string>) => z.array(schema).min(1).max(MOST_IDS);

const BudgetFields = z.strictObject({
  budgetId: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters, digits and . _ -, beginning with a letter or digit",
    )
    .describe("An id of your choice; a budget that already has it is replaced"),
  amountUsdc: z
    .string()
    .refine(isAmount, { message: "must be a decimal amount with at most 6 places, such as 2500" })
    .meta({ maxLength: 20 })
    .describe("The budgeted amount in USDC; at least the used and reserved amount"),
  costCentre: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .exactOptional()
    .describe("Your accounting label; the lists below decide what it covers"),
  keyIds: ids(z.string().max(200))
    .exactOptional()
    .describe("Only calls with these keys, such as those of a cost centre; default: any key"),
  travelerIds: ids(z.string().max(128))
    .exactOptional()
    .describe("Only calls for these users, by userId (svc:<keyId> for a key's own); default: any"),
  tripIds: ids(z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits"))
    .exactOptional()
    .describe("Only money committed to vendors from these trips in escrow; default: all spending"),
  startsOn: IsoDate.exactOptional().describe("The first day in UTC; default: no start"),
  endsOn: IsoDate.exactOptional().describe("The last day in UTC; default: no end"),
});

const BudgetAnswer = BudgetFields.extend({
  amountUsdc: DecimalAmount,
  usedUsdc: DecimalAmount.describe("Spent by completed calls"),
  reservedUsdc: DecimalAmount.describe("For calls whose outcome is not known yet"),
  leftUsdc: DecimalAmount,
});

const example = {
  budgetId: "sales-2026-q4",
  amountUsdc: "25000.00",
  costCentre: "4711",
  startsOn: "2026-10-01",
  endsOn: "2026-12-31",
};
const exampleAnswer = { ...example, usedUsdc: "412.50", reservedUsdc: "0.00", leftUsdc: "24587.50" };

const readBudgetList = defineRoute({
  id: "list_budgets",
  method: "GET",
  path: "/api/budgets",
  tag: "policy",
  summary: "List budgets",
  description: "The tenant's budgets by id, with the used, reserved and remaining amount of each.",
  scope: "policy:read",
  answers: { 200: { description: "The budgets.", schema: z.object({ budgets: z.array(BudgetAnswer) }) } },
  errors: {},
  example: { answer: { budgets: [exampleAnswer] } },
  async run({ principal: { tenantId, environment } }, { reads }: { reads: Reads }) {
    const budgets = await reads(tenantId, (aggregates) => readBudgets(aggregates, { tenantId, environment }));
    return { budgets: budgets.map(describeBudget) };
  },
});

const writeBudget = defineRoute({
  id: "write_budget",
  method: "PUT",
  path: "/api/budgets",
  tag: "policy",
  summary: "Set a budget",
  description:
    "Creates a budget, or replaces the one with its budgetId. From the next call on, each spending call uses every budget that covers it, and is refused with spend_limit_exceeded if one of them has too little left. Replacing a budget keeps its used amount.",
  scope: ADMINISTERS_POLICIES,
  body: BudgetFields,
  answers: { 200: { description: "The current budget.", schema: BudgetAnswer } },
  errors: { conflict: "More than this amount is used or reserved. Set at least that much." },
  example: { body: example, answer: exampleAnswer },
  async run(
    { principal, body },
    { stores, identity, tenantMemory }: { stores: Stores; identity: Identity; tenantMemory: TenantMemory },
  ) {
    const { tenantId, environment, serviceAccountId } = principal;
    await requireOwn(body, principal, { stores, identity });
    const budget: Budget = {
      budgetId: body.budgetId,
      amount: parseDecimal(body.amountUsdc) ?? 0n,
      costCentre: body.costCentre,
      keyIds: body.keyIds,
      travelerIds: body.travelerIds,
      tripIds: body.tripIds?.map((id) => id.toLowerCase()),
      startsOn: body.startsOn,
      endsOn: body.endsOn,
    };
    await stores.budgets.put({ tenantId, environment }, budget, serviceAccountId);
    tenantMemory.forget({ tenantId, environment });
    const states = await readBudgets(stores, { tenantId, environment });
    const state = states.find(({ budgetId }) => budgetId === budget.budgetId);
    if (state === undefined) throw new Error(`the budget ${budget.budgetId} is gone`);
    return describeBudget(state);
  },
});

/** Records of other tenants are not found. */
async function requireOwn(
  { keyIds = [], travelerIds = [], tripIds = [], startsOn, endsOn }: z.output<typeof BudgetFields>,
  { tenantId, environment }: Principal,
  { stores, identity }: { stores: Stores; identity: Identity },
): Promise<void> {
  const issues: Issue[] = [];
  const say = (path: string, message: string) => issues.push({ path, message });
  const keys = new Set((await identity.listKeys(tenantId)).map(({ id }) => id));
  for (const [at, id] of keyIds.entries()) if (!keys.has(id)) say(`keyIds.${at}`, "is no key of this tenant");
  for (const [at, id] of travelerIds.entries()) {
    const keyId = findKeyId(id);
    const isOwn =
      keyId === undefined ? isUserId(id) && (await identity.isUser(tenantId, id, environment)) : keys.has(keyId);
    if (!isOwn) say(`travelerIds.${at}`, "is not a user of this tenant; PUT /api/travelers/{userId} creates one");
  }
  for (const [at, id] of tripIds.entries()) {
    const tripId: Hex = `0x${id.slice(2).toLowerCase()}`;
    if ((await stores.trips.find(tenantId, environment, tripId)) === undefined)
      say(`tripIds.${at}`, "is not a trip of this tenant");
  }
  if (startsOn !== undefined && endsOn !== undefined && endsOn < startsOn) say("endsOn", "must not be before startsOn");
  if (issues.length > 0) throw invalidInput(issues);
}

function describeBudget(state: BudgetState): z.input<typeof BudgetAnswer> {
  const { amount, used, reserved, left, budgetId, ...optional } = state;
  const { costCentre, keyIds, travelerIds, tripIds, startsOn, endsOn } = optional;
  return {
    budgetId,
    amountUsdc: formatDecimal(amount),
    ...(costCentre === undefined ? {} : { costCentre }),
    ...(keyIds === undefined ? {} : { keyIds: [...keyIds] }),
    ...(travelerIds === undefined ? {} : { travelerIds: [...travelerIds] }),
    ...(tripIds === undefined ? {} : { tripIds: [...tripIds] }),
    ...(startsOn === undefined ? {} : { startsOn }),
    ...(endsOn === undefined ? {} : { endsOn }),
    usedUsdc: formatDecimal(used),
    reservedUsdc: formatDecimal(reserved),
    leftUsdc: formatDecimal(left),
  };
}

export const budgetRoutes = [readBudgetList, writeBudget];
