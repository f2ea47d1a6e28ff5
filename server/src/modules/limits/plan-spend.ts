import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Party, Plan, PlannedMovement } from "../../kernel/contracts/plan.ts";
import type { RateTable } from "../../ports/fx.ts";
import type { Conversion, Spend } from "./call-spends.ts";

/** What a plan spends, and who outside of the service would get it. */
export interface PlannedSpend extends Spend {
  recipients: readonly Hex[];
}

/** More than all there is of a token. A call that asks for more is told so when it runs; counted in full, sums would not fit their columns. */
const MOST_COUNTED = 10n ** 17n;

const isOutside = (party: Party): party is Hex => party.startsWith("0x");

/** `rates` is asked only where an amount is of another token than USDC. */
export async function planSpend(plan: Plan, rates: () => Promise<RateTable>): Promise<PlannedSpend> {
  const conversions: Conversion[] = [];
  const sums = { paid: 0n, escrowed: 0n, committed: 0n };
  let isOpen = false;
  for (const movement of plan.movements) {
    const counted = countedAs(movement);
    if (counted === undefined) continue;
    if (movement.amount === undefined) isOpen = true;
    else sums[counted] += await inUsdc(movement.token, atMost(movement.amount), rates, conversions);
  }
  const recipients = plan.movements.map(({ to }) => to).filter(isOutside);
  const { tripId, travelerIds = [] } = plan;
  return { ...sums, isOpen, tripId, travelerIds, conversions, recipients: [...new Set(recipients)] };
}

/** The same with the prices that the tenant was shown in place of those that only the call finds out. */
export function planShownSpend(plan: Plan, rates: () => Promise<RateTable>): Promise<PlannedSpend> {
  const movements = plan.movements.map(({ expected, amount = expected, ...movement }) => ({ ...movement, amount }));
  return planSpend({ ...plan, movements }, rates);
}

/** Undefined: it spends nothing, such as money that comes back, or that was counted before. */
function countedAs({ from, to, isLater, isCounted }: PlannedMovement): "paid" | "escrowed" | "committed" | undefined {
  if (isCounted === true) return undefined;
  if (from === "treasury" && to !== "treasury") return to === "trip_budget" ? "escrowed" : "paid";
  // What a settlement pays out was counted when it was committed to its payee.
  return from === "booking_reservation" && to !== "treasury" && isLater === true ? "committed" : undefined;
}

export function spendsNothing({ paid, escrowed, committed, isOpen }: Spend): boolean {
  return paid === 0n && escrowed === 0n && committed === 0n && !isOpen;
}

function atMost(amount: Micro): Micro {
  return amount < MOST_COUNTED ? amount : MOST_COUNTED;
}

/** At the reference rate of the moment, rounded up. */
async function inUsdc(
  token: PlannedMovement["token"],
  amount: Micro,
  rates: () => Promise<RateTable>,
  conversions: Conversion[],
): Promise<Micro> {
  if (token === "USDC") return amount;
  const { perEuro, provenance } = await rates();
  const rate = perEuro.get("USD");
  if (rate === undefined) {
    throw new Failure("unavailable", {
      detail: `There is no rate of ${token} for USDC now. Send the call again later.`,
    });
  }
  const unit = 1_000_000n;
  const usdc = (amount * rate + unit - 1n) / unit;
  const { source, asOf } = provenance;
  conversions.push({
    token,
    amount: formatDecimal(amount),
    usdc: formatDecimal(usdc),
    rate: formatDecimal(rate),
    source,
    asOf,
  });
  return usdc;
}
