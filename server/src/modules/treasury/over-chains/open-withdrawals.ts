import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    /** Made by the module of the Gateway: the treasury only shows them. */
    "treasury.openWithdrawals": {
      list(owner: { tenantId: string; environment: Environment }): Promise<readonly OpenWithdrawal[]>;
    };
  }
}

/** A withdrawal from the Gateway that has not ended. */
export const OpenWithdrawal = z.object({
  withdrawalId: z.string(),
  chain: ChainName,
  amount: DecimalAmount,
  withdrawableAtBlock: z.string().nullable().describe("null: its delay has not begun"),
});
type OpenWithdrawal = z.output<typeof OpenWithdrawal>;
