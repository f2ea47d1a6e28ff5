import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { discountPercentByPlan } from "../../../ports/identity.ts";
import { ByPerson } from "../by-person.ts";
import { defineTool } from "../context.ts";
import { ModuleFacts } from "../module-facts.ts";

export const readAccount = defineTool({
  name: "read_account",
  title: "Read the account",
  summary:
    "Show your account: plan, prices, spending, limits, wallet with holds, scopes, and what a person must enable.",
  area: "account",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["account"],
  input: z.strictObject({}),
  output: ModuleFacts.extend({
    tenantId: z.string(),
    tenantName: wordsOfOthers(),
    environment: z.enum(["sandbox", "production"]).describe("sandbox: nothing is real"),
    plan: z.enum(["free", "pro", "enterprise"]),
    discountPercent: z.int().describe("Discount on list prices; already included in prices"),
    keyId: z.string(),
    userId: z.string().describe("The caller"),
    travelerId: z.string().describe("Whose traveler profile your own trips use"),
    scopes: z.array(z.string()).readonly().describe("*: everything"),
    missing: z.array(ByPerson).readonly().describe("What does not work until a person has set it up"),
    setUp: z
      .array(ByPerson.extend({ isSet: z.boolean() }))
      .readonly()
      .describe("What only a person can set up, and whether it is set up"),
  }),
  errors: {},
  example: () => ({}),

  async run(_input, { account, caller }) {
    const { tenantId, environment, keyId, userId, travelerId, scopes } = caller;
    const [tenant, { facts, missing, setUp }] = await Promise.all([account.tenant(tenantId), account.read(caller)]);
    if (tenant === undefined) throw new Error("a key without its tenant");
    const { name: tenantName, plan } = tenant;
    const discountPercent = discountPercentByPlan[plan];
    return {
      tenantId,
      tenantName,
      environment,
      plan,
      discountPercent,
      keyId,
      userId,
      travelerId,
      scopes,
      ...ModuleFacts.parse(facts),
      missing: missing.map((part) => ({ ...part, page: account.pageUrl(part.page) })),
      setUp: setUp.map((part) => ({ ...part, page: account.pageUrl(part.page) })),
    };
  },
});
