import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { CallPlan, Party, PlannedMovement } from "../../kernel/contracts/call-plan.ts";
import type { RateTable } from "../../ports/fx.ts";
import type { Conversion, Spend } from "./call-spends.ts";

/** The spending of a plan, and its recipients outside of the service. */
export interface PlannedSpend extends Spend {
  recipients: readonly PlannedRecipient[];
}

export interface PlannedRecipient {
  address: Hex;
  /** By CAIP-2. Undefined: the home chain. */
  chain: string | undefined;
}

/** More than a token's total supply. A larger request fails when it runs; counted in full, sums would not fit their columns. */
const MOST_COUNTED = 10n ** 17n;

const isOutside = (party: Party): party is Hex => party.startsWith("0x");

/** `rates` is called only if an amount is in another token than USDC. */
export async function planSpend(plan: CallPlan, rates: () => Promise<RateTable>): Promise<PlannedSpend> {
  const conversions: Conversion[] = [];
  const sums = { paid: 0n, escrowed: 0n, committed: 0n };
  let isOpen = false;
  for (const movement of plan.movements) {
    const counted = countedAs(movement);
    if (counted === undefined) continue;
    if (movement.amount === undefined) isOpen = true;
    else sums[counted] += await inUsdc(movement.token, atMost(movement.amount), rates, conversions);
  }
  const recipients = plan.movements.flatMap(({ to, chain }) => (isOutside(to) ? [{ address: to, chain }] : []));
  const { tripId, travelerIds = [] } = plan;
  return { ...sums, isOpen, tripId, travelerIds, conversions, recipients };
}

/** The same with the prices shown to the tenant, for those that only the call finds out. */
export function planShownSpend(plan: CallPlan, rates: () => Promise<RateTable>): Promise<PlannedSpend> {
  const movements = plan.movements.map(({ expected, amount = expected, ...movement }) => ({ ...movement, amount }));
  return planSpend({ ...plan, movements }, rates);
}

/** Undefined: no spending, such as money that returns or was counted before. */
function countedAs({ from, to, isLater, isCounted }: PlannedMovement): "paid" | "escrowed" | "committed" | undefined {
  if (isCounted === true) return undefined;
  // In the Gateway it stays the tenant's own until it goes to somebody else.
  if (from === "gateway") return isOutside(to) ? "paid" : undefined;
  if (to === "gateway") return undefined;
  if (from === "treasury" && to !== "treasury") return to === "trip_budget" ? "escrowed" : "paid";
  // A settlement's payouts were counted when they were committed to their payee.
  return from === "booking_reservation" && to !== "treasury" && isLater === true ? "committed" : undefined;
}

export function spendsNothing({ paid, escrowed, committed, isOpen }: Spend): boolean {
  return paid === 0n && escrowed === 0n && committed === 0n && !isOpen;
}

function atMost(amount: Micro): Micro {
  return amount < MOST_COUNTED ? amount : MOST_COUNTED;
}

/** At the current reference rate, rounded up. */
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
      detail: `There is no exchange rate from ${token} to USDC now. Send the call again later.`,
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
