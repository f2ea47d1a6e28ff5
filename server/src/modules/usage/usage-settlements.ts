import type { Micro } from "../../domain/money.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "usage.usageSettlements": UsageSettlements;
  }
}

/** Payment of usage records that started `unsettled`: a tenant's records are gathered under one settlement and paid together. */
export interface UsageSettlements {
  /** Tenants with unsettled records that belong to no settlement yet, by their ids, those behind `after`. */
  listDue(after: string, limit: number): Promise<readonly string[]>;
  /** Puts such records, oldest first and at most `limit`, under this settlement. How many they are and what they cost together. */
  gather(tenantId: string, settlementId: string, limit: number): Promise<{ records: number; amount: Micro }>;
  /** Its records are `settled`. */
  complete(settlementId: string): Promise<void>;
  /** Its records can be gathered again. */
  dissolve(settlementId: string): Promise<void>;
}
