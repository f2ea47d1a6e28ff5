import { discounted } from "../../domain/money.ts";
import { hasAnyScope } from "../../domain/scopes.ts";
import type { AccountFacts, MissingPart } from "../../kernel/contracts/account.ts";
import type { Caller, Tool } from "../../kernel/contracts/tool.ts";
import { discountPercentByPlan, type Environment, type PricePlan, type Tenant } from "../../ports/identity.ts";
import { defineModule } from "./context.ts";
import { accountRoutes } from "./routes.ts";
import { previewCall } from "./tools/preview-call.ts";
import { readAccount } from "./tools/read-account.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "account.account": Account;
  }
}

interface Account {
  tenant(tenantId: string): Promise<Tenant | undefined>;
  /** The facts of all modules. */
  read(caller: Caller): Promise<Required<AccountFacts>>;
  /** The address of a page of the documentation. */
  pageUrl(page: string): string;
}

export const accountModule = defineModule({
  name: "account",
  tools: [readAccount, previewCall],
  routes: accountRoutes,
  ports({ identity, readAccount: read, urls }) {
    const account: Account = {
      read,
      tenant: (tenantId) => identity.getTenant(tenantId),
      pageUrl: (page) => `${urls.app}/docs/${page}`,
    };
    return { account };
  },
  async account({ identity, tools }, { tenantId, environment, scopes }) {
    const tenant = await identity.getTenant(tenantId);
    const prices = tenant === undefined ? [] : describePrices(tools, tenant.plan);
    return { facts: { prices }, missing: missingScopes(tools, scopes, { tenantId, environment }) };
  },
});

type Listed = Pick<Tool, "name" | "price" | "scopes">;

/** Prices on this plan: the tools grouped by price, cheapest first. */
function describePrices(tools: readonly Listed[], plan: PricePlan) {
  const byPrice = Map.groupBy(tools, ({ price }) => discounted(price, discountPercentByPlan[plan]));
  return [...byPrice]
    .toSorted(([left], [right]) => Number(left - right))
    .map(([price, some]) => ({ priceMicroUsdc: price.toString(), tools: some.map(({ name }) => name) }));
}

/** The tools that each missing scope withholds from the caller. */
function missingScopes(
  tools: readonly Listed[],
  scopes: readonly string[],
  { tenantId, environment }: { tenantId: string; environment: Environment },
): MissingPart[] {
  const refused = tools.filter((tool) => !hasAnyScope(scopes, tool.scopes));
  return [...Map.groupBy(refused, (tool) => tool.scopes.join(" or "))].map(([wanted, some]) => ({
    what: `${some.map(({ name }) => name).join(", ")}: the key lacks the scope ${wanted}.`,
    how: `The operator mints a key with it: npm run key -- mint --tenant ${tenantId} --environment ${environment} --scopes ${[...scopes, wanted.split(" or ")[0]].join(",")}`,
    page: "keys-and-tenants",
  }));
}
