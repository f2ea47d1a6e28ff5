import { nameChain } from "../../domain/chains/named-chains.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import { type TokenSymbol, tokenSymbols } from "../../domain/tokens.ts";
import type { CallPlan, PlannedMovement } from "../../kernel/contracts/call-plan.ts";
import { defineGate } from "../../kernel/contracts/gate.ts";
import type { Allowance } from "../../kernel/contracts/preview-answer.ts";
import type { ChainKey } from "../../ports/chain/chain-key.ts";
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
      const home = await boundChains.requireHome(environment);
      const allowances: Allowance[] = [];
      for (const { chain, token, amounts, returning, hasFeeOnTop } of sumByPurse(home, leaving, comesBack)) {
        await requireMoving(boundChains, { environment, chain });
        const known = amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
        const least = hasFeeOnTop ? 0n : known + returning;
        const available = await requireAvailable(ledger, { environment, chain, tenantId, token }, least);
        const leftAfter = hasFeeOnTop || amounts.includes(undefined) ? null : formatDecimal(available - known);
        const name = chain === home.chain ? "treasury wallet" : `treasury wallet on ${nameChain(chain)}`;
        allowances.push({ name, token, left: formatDecimal(available), leftAfter });
      }
      return allowances;
    },
  });

interface PurseSum {
  chain: string;
  token: TokenSymbol;
  amounts: readonly (Micro | undefined)[];
  returning: Micro;
  hasFeeOnTop: boolean;
}

/** The amounts of each chain and token, and what the wallet must have there in addition. */
function sumByPurse(
  { chain: home }: ChainKey,
  leaving: readonly PlannedMovement[],
  comesBack: CallPlan["comesBack"],
): PurseSum[] {
  const all = comesBack === undefined ? leaving : [...leaving, comesBack];
  const chains = [...new Set(all.map(({ chain = home }) => chain))];
  return chains.flatMap((chain) =>
    tokenSymbols.flatMap((token) => {
      const isHere = (one: Pick<PlannedMovement, "chain" | "token">) =>
        (one.chain ?? home) === chain && one.token === token;
      const here = leaving.filter(isHere);
      const amounts = here.map(({ expected, amount = expected }) => amount);
      const hasFeeOnTop = here.some((one) => one.hasFeeOnTop === true);
      const returning = comesBack !== undefined && isHere(comesBack) ? comesBack.amount : 0n;
      return amounts.length === 0 && returning === 0n ? [] : [{ chain, token, amounts, returning, hasFeeOnTop }];
    }),
  );
}

/**
 * Returns the wallet's available balance. Throws `insufficient_balance` if it is too low, as the ledger does when it takes the
 * money.
 */
export async function requireAvailable(ledger: Pick<Ledger, "balance">, purse: Purse, amount: Micro): Promise<Micro> {
  const { available } = await ledger.balance(purse);
  if (amount > available) throw lacksBalance(purse, available, amount);
  return available;
}
