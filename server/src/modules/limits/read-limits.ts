import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Stores } from "./context.ts";
import { countedIn } from "./judge-spend.ts";
import type { Limited } from "./limit-exceeded.ts";
import { type LimitedPeriod, renewalInstant } from "./periods.ts";
import type { Limits, Spender } from "./spend-limits.ts";

/** The spending in a day or a month, and the rest of its limit. */
export interface PeriodState {
  /** Undefined: no limit; the spending is known all the same. */
  limit: Micro | undefined;
  used: Micro;
  /** For calls with an open outcome. */
  reserved: Micro;
  /** Undefined: no limit. */
  left: Micro | undefined;
  renewsAt: Temporal.Instant;
}

export interface LimitsState {
  perCall: Micro | undefined;
  perDay: PeriodState;
  perMonth: PeriodState;
  /** Undefined: any. */
  recipients: readonly Hex[] | undefined;
  tools: readonly string[] | undefined;
  /** Undefined: nobody is asked. */
  confirmFrom: Micro | undefined;
}

export interface SpendingState {
  key: LimitsState;
  tenant: LimitsState;
  /** The most that the key's next call may spend; undefined: no limit. */
  mostForNextCall: Micro | undefined;
}

/** The limits of a key and its tenant with their current rest, in micro-USDC. */
export async function readLimits(
  { spendLimits, callSpends }: Pick<Stores, "spendLimits" | "callSpends">,
  spender: Spender,
  now: Temporal.Instant,
): Promise<SpendingState> {
  const inForce = await spendLimits.inForce(spender);
  const counted = countedIn(spender, now);
  const usage = await callSpends.usage(spender, counted);
  const periodState = (limited: Limited, limit: LimitedPeriod): PeriodState => {
    const index = counted.findIndex((one) => one.limited === limited && one.limit === limit);
    const [at, found] = [counted[index], usage[index]];
    if (at === undefined || found === undefined) throw new Error(`nothing counts ${limited} ${limit}`);
    const most = inForce[limited][limit];
    return {
      limit: most,
      used: found.used - found.reserved,
      reserved: found.reserved,
      left: most === undefined ? undefined : positive(most - found.used),
      renewsAt: renewalInstant(at),
    };
  };
  const limitsState = (limited: Limited, { perCall, recipients, tools, confirmFrom }: Limits): LimitsState => ({
    perCall,
    recipients,
    tools,
    confirmFrom,
    perDay: periodState(limited, "perDay"),
    perMonth: periodState(limited, "perMonth"),
  });
  const key = limitsState("key", inForce.key);
  const tenant = limitsState("tenant", inForce.tenant);
  const bounds = [key, tenant].flatMap(({ perCall, perDay, perMonth }) => [perCall, perDay.left, perMonth.left]);
  const known = bounds.filter((bound) => bound !== undefined);
  const [first, ...rest] = known;
  const mostForNextCall =
    first === undefined ? undefined : rest.reduce((least, one) => (one < least ? one : least), first);
  return { key, tenant, mostForNextCall };
}

function positive(amount: Micro): Micro {
  return amount > 0n ? amount : 0n;
}
