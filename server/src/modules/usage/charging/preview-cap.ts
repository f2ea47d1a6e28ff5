import { formatDecimal } from "../../../domain/money.ts";
import type { Gate } from "../../../kernel/contracts/gate.ts";
import { periodOf } from "../reporting/spending.ts";
import type { Usage } from "../reporting/usage.ts";
import { spendCapExceeded } from "./spend-cap.ts";

/** Previews the monthly cap; for a real call, a statement decides. */
export function withCapPreview(gate: Gate, usage: Pick<Usage, "totals">): Gate {
  return {
    ...gate,
    async preview({ tenantId, environment, price, paidBy, startedAt }) {
      if (paidBy !== "tenant") return [];
      const totals = await usage.totals(tenantId, environment, periodOf(startedAt));
      const left = totals.capMicroUsdc - totals.spentMicroUsdc;
      if (price > left) throw spendCapExceeded();
      return [
        { name: "monthly cap", token: "USDC", left: formatDecimal(left), leftAfter: formatDecimal(left - price) },
      ];
    },
  };
}
