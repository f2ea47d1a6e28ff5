import type { AccountFacts } from "../../kernel/account.ts";
import type { Caller } from "../../kernel/tool.ts";
import type { Tenant } from "../../ports/identity.ts";

declare module "../../kernel/tool.ts" {
  interface ModulePorts {
    "account.account": Account;
  }
}

export interface Account {
  tenant(tenantId: string): Promise<Tenant | undefined>;
  /** What all modules say of it. */
  read(caller: Caller): Promise<Required<AccountFacts>>;
}
