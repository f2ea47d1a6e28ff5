import { discounted } from "../../domain/money.ts";
import { hasOneOf } from "../../domain/scopes.ts";
import type { MissingPart } from "../../kernel/account.ts";
import type { Tool } from "../../kernel/tool.ts";
import { discountPercentByPlan, type Environment, type Plan } from "../../ports/identity.ts";

type Listed = Pick<Tool, "name" | "price" | "scopes">;

/** What a call costs on this plan: the tools by their price, the cheapest first. */
export function describePrices(tools: readonly Listed[], plan: Plan) {
  const byPrice = Map.groupBy(tools, ({ price }) => discounted(price, discountPercentByPlan[plan]));
  return [...byPrice]
    .toSorted(([left], [right]) => Number(left - right))
    .map(([price, some]) => ({ priceMicroUsdc: price.toString(), tools: some.map(({ name }) => name) }));
}

/** For each scope that the key lacks, what it keeps from the caller. */
export function missingScopes(
  tools: readonly Listed[],
  scopes: readonly string[],
  { tenantId, environment }: { tenantId: string; environment: Environment },
): MissingPart[] {
  const refused = tools.filter((tool) => !hasOneOf(scopes, tool.scopes));
  return [...Map.groupBy(refused, (tool) => tool.scopes.join(" or "))].map(([wanted, some]) => ({
    what: `${some.map(({ name }) => name).join(", ")}: the key lacks the scope ${wanted}.`,
    how: `The operator mints a key with it: npm run key -- mint --tenant ${tenantId} --environment ${environment} --scopes ${[...scopes, wanted.split(" or ")[0]].join(",")}`,
  }));
}
