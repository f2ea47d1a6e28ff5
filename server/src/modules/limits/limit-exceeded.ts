import { Failure } from "../../domain/errors.ts";
import { formatDecimal, type Micro } from "../../domain/money.ts";
import type { Budget } from "./budgets.ts";
import type { Limits, LimitsInForce, Spender } from "./spend-limits.ts";

/** The holder of the limit. */
export type Limited = keyof LimitsInForce;

/** A confirmation is asked for, and refuses nothing. */
type RefusingLimit = Exclude<keyof Limits, "confirmFrom">;

interface Exceeded {
  limited: Limited;
  limit: RefusingLimit;
  /** The problem, and the caller's remedy. */
  says: string;
  extra?: Readonly<Record<string, unknown>>;
}

const OPTIONS: Readonly<Record<RefusingLimit, string>> = {
  perCall: "--per-call <USDC>",
  perDay: "--per-day <USDC>",
  perMonth: "--per-month <USDC>",
  recipients: "--recipients <address,…>",
  tools: "--tools <name,…>",
  fees: "--max-fees <USDC>",
};

export const whoseLimit: Readonly<Record<Limited, string>> = { key: "this key", tenant: "the tenant" };

export function limitExceeded({ tenantId, keyId }: Spender, { limited, limit, says, extra }: Exceeded): Failure {
  const whose =
    limited === "key" ? `npm run key -- limits --tenant ${tenantId} ${keyId}` : `npm run tenant -- limits ${tenantId}`;
  return new Failure("spend_limit_exceeded", {
    detail: `${says} The operator can change the limit: ${whose} ${OPTIONS[limit]}.`,
    extra: { limit, limitOf: limited, ...extra },
  });
}

/** The failure for a limit on amounts. `period`: undefined for the limit of one call. */
export function amountExceeded(
  spender: Spender,
  {
    limited,
    limit,
    most,
    needed,
  }: { limited: Limited; limit: "perCall" | "perDay" | "perMonth"; most: Micro; needed: Micro | undefined },
  period?: { used: Micro; renewsAt: Temporal.Instant },
): Failure {
  const used = period?.used ?? 0n;
  const left = most > used ? most - used : 0n;
  const renewsAt = period?.renewsAt.toString();
  const per = { perCall: "for one call", perDay: "a day", perMonth: "a month" }[limit];
  const usage = period === undefined ? "" : ` ${formatDecimal(used)} USDC of it are used or reserved.`;
  const need = needed === undefined ? "" : ` This call spends ${formatDecimal(needed)} USDC.`;
  const wait = renewsAt === undefined ? "" : ` or wait until ${renewsAt}`;
  const advice =
    left === 0n
      ? renewsAt === undefined
        ? ""
        : ` Wait until ${renewsAt}.`
      : ` Spend at most ${formatDecimal(left)} USDC${wait}.`;
  return limitExceeded(spender, {
    limited,
    limit,
    says: `The limit of ${whoseLimit[limited]} is ${formatDecimal(most)} USDC ${per}.${usage}${need}${advice}`,
    extra: {
      limitUsdc: formatDecimal(most),
      usedUsdc: formatDecimal(used),
      leftUsdc: formatDecimal(left),
      ...(needed === undefined ? {} : { neededUsdc: formatDecimal(needed) }),
      renewsAt: renewsAt ?? null,
    },
  });
}

/** `needed`: undefined if the price is not known yet. */
export function budgetExceeded(
  { budgetId, amount, costCentre, endsOn }: Budget,
  { used, needed }: { used: Micro; needed: Micro | undefined },
): Failure {
  const left = formatDecimal(amount > used ? amount - used : 0n);
  const name = costCentre === undefined ? budgetId : `${budgetId} (cost centre ${costCentre})`;
  const need = needed === undefined ? "" : ` This call spends ${formatDecimal(needed)} USDC.`;
  return new Failure("spend_limit_exceeded", {
    detail: `The budget ${name} has ${left} of its ${formatDecimal(amount)} USDC left.${need} Spend less, or have the operator raise the budget.`,
    extra: {
      limit: "budget",
      limitOf: "budget",
      budgetId,
      ...(costCentre === undefined ? {} : { costCentre }),
      limitUsdc: formatDecimal(amount),
      usedUsdc: formatDecimal(used),
      leftUsdc: left,
      ...(needed === undefined ? {} : { neededUsdc: formatDecimal(needed) }),
      renewsAt: null,
      endsOn: endsOn ?? null,
    },
  });
}
