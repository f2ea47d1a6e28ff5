import type { GetMovementsAnswer } from "../answers.ts";

export interface Movements extends Pick<GetMovementsAnswer, "balances"> {
  movements: readonly GetMovementsAnswer["movements"][number][];
}

const MICRO = 1_000_000;
const toMicro = (decimal: string): number => Math.round(Number(decimal) * MICRO);
const nameWallet = ({ chain = "", token }: { chain?: string; token: string }): string => `${chain} ${token}`;

/** The balance after each movement, in millionths of its token: from the newest, which the service tells, back to the oldest. */
export function walkBalances({ movements, balances }: Movements): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  const left = new Map(balances?.map((balance) => [nameWallet(balance), toMicro(balance.amount)]));
  for (const movement of movements) {
    const { id, amount, direction, state, pot } = movement;
    const wallet = nameWallet(movement);
    const balance = left.get(wallet);
    // A reverted amount is in the wallet again, and the Gateway's money never was.
    if (balance === undefined || state === "reverted" || pot !== undefined) continue;
    after.set(id, balance);
    left.set(wallet, balance + (direction === "in" ? -1 : 1) * toMicro(amount));
  }
  return after;
}
