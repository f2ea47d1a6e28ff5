import type { Account } from "./account.ts";
import { defineModule } from "./context.ts";
import { describePrices, missingScopes } from "./describe-tools.ts";
import { previewCall } from "./tools/preview-call.ts";
import { readAccount } from "./tools/read-account.ts";

export const accountModule = defineModule({
  name: "account",
  tools: [readAccount, previewCall],
  ports({ identity, readAccount: read }) {
    const account: Account = { read, tenant: (tenantId) => identity.getTenant(tenantId) };
    return { account };
  },
  async account({ identity, tools }, { tenantId, environment, scopes }) {
    const tenant = await identity.getTenant(tenantId);
    const prices = tenant === undefined ? [] : describePrices(tools, tenant.plan);
    return { facts: { prices }, missing: missingScopes(tools, scopes, { tenantId, environment }) };
  },
});
