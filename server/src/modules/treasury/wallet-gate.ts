import { formatDecimal, type Micro } from "../../domain/money.ts";
import { tokenSymbols } from "../../domain/tokens.ts";
import { defineGate } from "../../kernel/contracts/gate.ts";
import { type Ledger, lacksBalance, type Purse } from "../ledger/index.ts";
import type { Stores } from "./context.ts";
import { requireMoving } from "./send-out.ts";

/** Refuses nothing itself: the ledger does, in the transaction that takes the money. It exists for previews. */
export const walletGate = ({ ledger, boundChains }: Pick<Stores, "ledger" | "boundChains">) =>
  defineGate({
    name: "wallet",
    check: () => undefined,
    async preview({ tenantId, environment }, plan) {
      const { movements, comesBack } = await plan();
      const leaving = movements.filter(({ from, isLater }) => from === "treasury" && isLater !== true);
      if (leaving.length === 0 && comesBack === undefined) return [];
      const chain = await boundChains.requireHome(environment);
      await requireMoving(boundChains, chain);
      const allowances = [];
      for (const token of tokenSymbols) {
        const amounts = leaving.filter((one) => one.token === token).map(({ expected, amount = expected }) => amount);
        const returning = comesBack?.token === token ? comesBack.amount : 0n;
        if (amounts.length === 0 && returning === 0n) continue;
        const known = amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
        const available = await requireAvailable(ledger, { ...chain, tenantId, token }, known + returning);
        const leftAfter = amounts.includes(undefined) ? null : formatDecimal(available - known);
        allowances.push({ name: "treasury wallet", token, left: formatDecimal(available), leftAfter });
      }
      return allowances;
    },
  });

/**
 * Returns the wallet's available balance. Throws `insufficient_balance` if it is too low, as the ledger does when it takes the
 * money.
 */
export async function requireAvailable(ledger: Pick<Ledger, "balance">, purse: Purse, amount: Micro): Promise<Micro> {
  const { available } = await ledger.balance(purse);
  if (amount > available) throw lacksBalance(purse.token, available, amount);
  return available;
}
